"""Layers of attention on top of each other; every stage is handed to keep(layer, name, array)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import numpy as np
from jaxtyping import Float

from app.attention.attend import Options, attend
from app.attention.parameters import Parameters, Shape

Block = Literal["attention", "residual"]
KeepLayer = Callable[[int, str, np.ndarray], None]


def forward(
    x: Float[np.ndarray, "batch query d_model"],
    layers: Sequence[Parameters],
    shape: Shape,
    lengths: list[tuple[int, int]],
    options: Options,
    block: Block,
    keep: KeepLayer,
) -> Float[np.ndarray, "batch query out"]:
    """The block output of the last layer; each layer's block output is the next one's x."""
    for i, parameters in enumerate(layers):
        keep(i, "x", x)
        output = attend(x, x, parameters, shape, lengths, options, partial(keep, i))
        x = x + output if block == "residual" else output
        keep(i, "block_output", x)
    return x
