"""Large arrays in memory that other arrays have left.

Memory fresh from the system costs a page fault every few kilobytes, and giving it back costs
again: a third of the time of 1,024 tokens × 12 heads (benchmarks/dense_trace.py prints both).
So what the maps of forgotten traces took is kept for those to come, up to KEPT bytes.
"""

from __future__ import annotations

import ctypes
import math
import weakref
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

LARGE = 1 << 20  # smaller arrays come from the allocator's own lists
KEPT = 256 << 20

_free: dict[int, np.ndarray] = {}  # oldest first; its single operations are atomic


def empty(shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
    """np.empty, out of memory that is left where there is some of just this size."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < LARGE:
        return np.empty(shape, dtype)
    memory = _left(size)
    # Every view of the array keeps this lease alive, however it came about (slices, reshapes,
    # transposes): once it dies, nobody can see the memory any more.
    lease: Any = (ctypes.c_char * size).from_buffer(memory.data)
    weakref.finalize(lease, _keep, memory).atexit = False
    return np.frombuffer(lease, dtype).reshape(shape)


def forget() -> None:
    """Gives what is left back to the system."""
    _free.clear()


def _left(size: int) -> np.ndarray:
    for key, memory in list(_free.items()):
        if memory.nbytes == size and _free.pop(key, None) is not None:
            return memory
    return np.empty(size, np.uint8)


def _keep(memory: np.ndarray) -> None:
    """Takes memory back; the oldest goes where there is too much."""
    _free[id(memory)] = memory
    taken = sum(one.nbytes for one in list(_free.values()))
    for key in list(_free):
        if taken <= KEPT:
            break
        gone = _free.pop(key, None)
        taken -= 0 if gone is None else gone.nbytes
