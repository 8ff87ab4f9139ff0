"""attnscope, an attention microscope. `attnscope.Client` calls a server or computes in this
process: docs/python.md."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attnscope.client.asynchronous import AsyncClient, AsyncTrace
    from attnscope.client.problem import Problem
    from attnscope.client.synchronous import Client, Trace
    from attnscope.client.table import Table
    from attnscope.notebook.bertviz import head_view, model_view
    from attnscope.notebook.show import show
    from attnscope.torch_capture import Captured, CaptureError, capture

__version__ = "0.3.0"
__all__ = [
    "AsyncClient", "AsyncTrace", "CaptureError", "Captured", "Client", "Problem", "Table", "Trace",
    "__version__", "capture", "head_view", "model_view", "show",
]  # fmt: skip

# Loaded on first use: importing attnscope loads neither numpy nor HTTP libraries.
_MODULES = {
    "AsyncClient": "attnscope.client.asynchronous",
    "AsyncTrace": "attnscope.client.asynchronous",
    "CaptureError": "attnscope.torch_capture",
    "Captured": "attnscope.torch_capture",
    "Client": "attnscope.client.synchronous",
    "Problem": "attnscope.client.problem",
    "Table": "attnscope.client.table",
    "Trace": "attnscope.client.synchronous",
    "capture": "attnscope.torch_capture",
    "head_view": "attnscope.notebook.bertviz",
    "model_view": "attnscope.notebook.bertviz",
    "show": "attnscope.notebook.show",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'attnscope' has no attribute {name!r}")
    found = getattr(import_module(_MODULES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
