"""Half precision: float32 arrays rounded to the numbers (the grid) of a 16-bit dtype.

Each result is rounded to nearest, ties to even. A matrix product, sum or mean is one operation,
accumulated in float32 as in hardware (Micikevicius et al. 2018).

    float16    5 bits of exponent, 10 of fraction, up to 65,504
    bfloat16   8 bits of exponent, 7 of fraction, up to 3.4 · 10³⁸
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from jaxtyping import Float32

Dtype = Literal["float64", "float32", "float16", "bfloat16"]
Grid = Literal["float16", "bfloat16"]

GRIDS: dict[Dtype, Grid] = {"float16": "float16", "bfloat16": "bfloat16"}


def stored_dtype(dtype: Dtype) -> type[np.float64] | type[np.float32]:
    return np.float64 if dtype == "float64" else np.float32


def round_to_grid(a: np.ndarray, grid: Grid | None) -> np.ndarray:
    if grid == "float16":
        with np.errstate(over="ignore"):
            a[...] = a.astype(np.float16)
    elif grid == "bfloat16":
        _round_to_bfloat16(a)
    return a


def _round_to_bfloat16(a: Float32[np.ndarray, "*axes"]) -> None:
    """Round to the upper 16 bits; a carry into the exponent is correct."""
    nothing = np.isnan(a)
    bits = a.view(np.uint32)
    bits += 0x7FFF + ((bits >> 16) & 1)
    bits &= 0xFFFF0000
    np.copyto(a, np.nan, where=nothing)
