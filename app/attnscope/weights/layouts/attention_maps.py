from __future__ import annotations

import re

import numpy as np

NAMED = re.compile(r"(?:att(?:n|ention)|prob)[^./]*$", re.IGNORECASE)  # last part of a tensor name
NEAR_ONE = 0.01  # tolerance of a row sum in bfloat16


def maps_in(arrays: dict[str, np.ndarray]) -> list[str]:
    """Names of the maps; empty if there are weight matrices too."""
    maps = [name for name, array in arrays.items() if _is_map(name, array)]
    matrices = [name for name, array in arrays.items() if array.ndim == 2 and name not in maps]
    return [] if matrices else maps


def _is_map(name: str, array: np.ndarray) -> bool:
    """A map is named like one, or its rows sum to 1. Arrays with two axes need both."""
    if array.ndim < 2 or array.dtype.kind != "f":
        return False
    named = NAMED.search(name) is not None
    if array.ndim == 2:
        return named and _rows_are_shares(array) and bool(array.max(axis=-1).min() < 1)
    return named or _rows_are_shares(array)


def _rows_are_shares(array: np.ndarray) -> bool:
    return bool(array.min() >= 0 and np.all(np.abs(array.sum(axis=-1) - 1) < NEAR_ONE))
