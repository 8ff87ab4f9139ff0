"""Detect attention weights uploaded by mistake instead of parameters."""

from __future__ import annotations

import re

import numpy as np

NAMED = re.compile(r"(?:att(?:n|ention)|prob)[^./]*$", re.IGNORECASE)  # at the end of a path
NEAR_ONE = 0.01  # of the sum of a row, rounded to bfloat16


def maps_in(arrays: dict[str, np.ndarray]) -> list[str]:
    """The attention maps of a file that holds no weight matrices beside them; else none."""
    maps = [name for name, array in arrays.items() if _is_map(name, array)]
    matrices = [name for name, array in arrays.items() if array.ndim == 2 and name not in maps]
    return [] if matrices else maps


def _is_map(name: str, array: np.ndarray) -> bool:
    """A map needs both a typical name and rows of weights, and must be no permutation such as an
    identity: a weight matrix may have either."""
    if array.ndim < 2 or array.dtype.kind != "f":
        return False
    named = NAMED.search(name) is not None
    if array.ndim == 2:
        return named and _rows_are_shares(array) and bool(array.max(axis=-1).min() < 1)
    return named or _rows_are_shares(array)


def _rows_are_shares(array: np.ndarray) -> bool:
    """Whether every row is non-negative and sums to 1."""
    return bool(array.min() >= 0 and np.all(np.abs(array.sum(axis=-1) - 1) < NEAR_ONE))
