"""attnscope beside the others: its Heads view, served by its own running server.

It draws the weights that it computes itself, of the same layers, heads and tokens; that they are
computed once before stands for the tensors that the others are given.
"""

from __future__ import annotations

import json
import os
import urllib.request
from typing import Any
from urllib.parse import urlencode

import numpy as np

SERVER = "ATTNSCOPE_URL"  # the environment variable with the server's address
PLOT = "__peer.$('.together canvas')"
TILES = "[...document.querySelectorAll('.tile canvas')]"


def question(layers: int, heads: int, n: int) -> dict[str, Any]:
    """16 numbers a head: the sizes of the maps are those of every peer."""
    model = {"num_layers": layers, "num_heads": heads, "d_model": 16 * heads}
    return {"text": " ".join(f"t{index}" for index in range(n)), **model, "tab": "heads"}


def server() -> str:
    """The address of the running server; raises RuntimeError where none is named."""
    found = os.environ.get(SERVER)
    if not found:
        raise RuntimeError(f"give --url, or {SERVER}: the address of a running attnscope")
    return found


def compute(size: tuple[int, int, int]) -> None:
    """Has the server compute what the page will ask for, as other viewers are given tensors."""
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
    """The page as the server sends it; `address` says where it is."""
    layers, heads, n = weights.shape[:3]
    notes["address"] = f"{server()}/?{urlencode(question(layers, heads, n))}"
    page: str = urllib.request.urlopen(notes["address"]).read().decode()
    return page


def drawn(size: tuple[int, int, int]) -> str:
    """Every tile and the large picture hold a picture of their own."""
    layers, heads, _ = size
    return (
        f"{TILES}.length==={layers * heads} && {TILES}.every((each)=>each.style.width) "
        f"&& !!{PLOT}?.dataset.head"
    )
