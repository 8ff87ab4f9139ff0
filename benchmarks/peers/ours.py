"""attnscope's Heads view, on its own server.

Its weights, of the same sizes, are computed before, as others are given tensors.
"""

from __future__ import annotations

import json
import os
import urllib.request
from typing import Any
from urllib.parse import urlencode

import numpy as np

SERVER = "ATTNSCOPE_URL"  # environment variable with the address
PLOT = "__peer.$('.together canvas')"
TILES = "[...document.querySelectorAll('.tile canvas')]"


def question(layers: int, heads: int, n: int) -> dict[str, Any]:
    """16 numbers a head: maps of every peer's sizes."""
    model = {"num_layers": layers, "num_heads": heads, "d_model": 16 * heads}
    return {"text": " ".join(f"t{index}" for index in range(n)), **model, "tab": "heads"}


def server() -> str:
    """Raises RuntimeError if not named."""
    found = os.environ.get(SERVER)
    if not found:
        raise RuntimeError(f"give --url, or {SERVER}: the address of a running attnscope")
    return found


def compute(size: tuple[int, int, int]) -> None:
    """Compute the page's numbers, as other viewers are given tensors."""
    asked = question(*size)
    model = {"source": "seeded"} | {
        name: asked[name] for name in ("num_layers", "num_heads", "d_model")
    }
    ready = {"text": asked["text"], "model": model, "layers": [0], "heads": [0]}
    for dtype in ("float64", "float32"):
        body = json.dumps(ready | ({"dtype": dtype} if dtype == "float32" else {})).encode()
        header = {"Content-Type": "application/json", "Accept": "application/x-safetensors"}
        request = urllib.request.Request(f"{server()}/api/v1/attention", body, header)
        urllib.request.urlopen(request).read()


def attnscope(weights: np.ndarray, tokens: list[str], notes: dict[str, Any]) -> str:
    layers, heads, n = weights.shape[:3]
    notes["address"] = f"{server()}/?{urlencode(question(layers, heads, n))}"
    page: str = urllib.request.urlopen(notes["address"]).read().decode()
    return page


def drawn(size: tuple[int, int, int]) -> str:
    """Every tile and the large picture are drawn."""
    layers, heads, _ = size
    return (
        f"{TILES}.length==={layers * heads} && {TILES}.every((each)=>each.style.width) "
        f"&& !!{PLOT}?.dataset.head"
    )
