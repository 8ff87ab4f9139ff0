from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch

from attnscope.torch_capture import functions, interface
from attnscope.torch_capture.captured_run import Captured, CaptureError
from attnscope.torch_capture.inputs import Inputs, read_inputs
from attnscope.torch_capture.recorder import Recorder

CROSS = re.compile(r"encoder_attn|encdecattention|cross|multihead_attn", re.IGNORECASE)
PARTS = ("encoder", "decoder", "cross")
FLEX = "torch.nn.attention.flex_attention"
WRAPPERS = (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)
# A capture changes the mode and attention of its model, and functions of torch.
ONE_AT_A_TIME = threading.RLock()


def run_captured(
    model: Any,
    tokenizer: Any,
    text: Any,
    target: str | None,
    part: str | None,
    scores: bool | None,
    tokens: Sequence[str] | Sequence[Sequence[str]] | None,
    folder: Path | None,
) -> Captured:
    """Raises CaptureError, OSError, and the model's own errors."""
    body = _body(model if tokenizer is None else _of_sentences(model))
    halves = getattr(getattr(body, "config", None), "is_encoder_decoder", False)
    if halves and part is None:
        raise CaptureError(
            'This is an encoder with a decoder: choose part="encoder", "decoder" or "cross".'
        )
    inputs = read_inputs(body, tokenizer, text, target)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise CaptureError(f"There are files in {folder}: choose an empty folder.")
    found = _recorded(body, inputs, part, scores, folder)
    if found.incomplete:
        found = _recorded(body, inputs, part, True, folder)
    captured = found.captured()
    captured.name = type(model).__name__
    own, other = inputs.tokens, inputs.target_tokens
    captured.tokens = own if tokens is None else _lists(tokens)
    if tokens is None and halves and part != "encoder":
        captured.tokens = other
        captured.context_tokens = own if part == "cross" else None
    return captured


def _lists(tokens: Sequence[Any]) -> list[list[str]]:
    if tokens and not isinstance(tokens[0], str):
        return [list(one) for one in tokens]
    return [list(tokens)]


def _recorded(
    body: Any, inputs: Inputs, part: str | None, scores: bool | None, folder: Path | None
) -> Recorder:
    """Record through transformers' interface; if no module attends through it, record torch's
    functions, at last with flat maps."""
    recorder = Recorder(_wanted(body, part), scores, folder)
    ways = [functions.record_calls, functions.record_flat_calls]
    for recorded in [interface.record_calls, *ways] if interface.has_interface(body) else ways:
        with (
            ONE_AT_A_TIME, _evaluating(body), torch.no_grad(), _uncompiled(),
            recorded(body, recorder),
        ):  # fmt: skip
            body(*inputs.args, **inputs.named)
        if recorder.layers or recorder.skipped:
            break
    return recorder


def _uncompiled() -> AbstractContextManager[Any]:
    """Run compiled functions as Python, which can be recorded. flex_attention compiles itself."""
    compiles = "torch._dynamo" in sys.modules or FLEX in sys.modules
    if not compiles or not hasattr(torch.compiler, "set_stance"):
        return nullcontext()
    stance: AbstractContextManager[Any] = torch.compiler.set_stance("force_eager")
    return stance


def _of_sentences(model: Any) -> Any:
    """Unwrap a model of sentence-transformers, whose forward takes a dict."""
    first = getattr(model, "_first_module", None)
    return model if first is None else getattr(first(), "auto_model", model)


def _body(model: Any) -> Any:
    """The model inside wrappers, without its head, whose logits are large. Raises CaptureError."""
    model = getattr(model, "_orig_mod", model)
    if isinstance(model, WRAPPERS):
        model = getattr(model.module, "_orig_mod", model.module)
    if getattr(getattr(model, "active_peft_config", None), "is_prompt_learning", False):
        raise CaptureError(
            "This adapter puts trained tokens before the text, which a capture would leave out: "
            "capture model.get_base_model(), which is without them."
        )
    if hasattr(model, "get_base_model"):
        model = model.get_base_model()
    if not isinstance(model, torch.nn.Module):
        raise CaptureError("model has to be a torch.nn.Module.")
    return model.base_model if hasattr(model, "base_model_prefix") else model


def _wanted(body: torch.nn.Module, part: str | None) -> Callable[[str], bool]:
    """Test whether a module is in the part. A whole name selects a module and its submodules:
    `layers.1` not `layers.10`."""
    if part in (None, ""):
        return lambda name: True
    if part not in PARTS and any(part == name for name, _ in body.named_modules()):
        return lambda name: f"{name}.".startswith(f"{part}.")
    return lambda name: _is_in(part, name)


def _is_in(part: str, name: str) -> bool:
    if part not in PARTS:
        return part in name
    if CROSS.search(name):
        return part == "cross"
    return part in name.lower().replace("encoder_attn", "")


@contextmanager
def _evaluating(model: torch.nn.Module) -> Iterator[None]:
    before = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in before:
            module.training = training
