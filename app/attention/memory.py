"""Large arrays in memory that other arrays have left.

Memory fresh from the system costs a page fault every few kilobytes, and giving it back costs
again: a third of the time of 1,024 tokens × 12 heads (benchmarks/dense_trace.py prints both).
So what the arrays of forgotten traces took is kept for those to come, up to KEPT bytes.
"""

from __future__ import annotations

import ctypes
import math
import weakref
from collections import deque
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

LARGE = 1 << 16  # below, the faults of a fresh array cost less than a lease
LINE = 64  # bytes that the processor loads at once, where they begin at a multiple of it
KEPT = 256 << 20

# By size, that which was left last at the end. Single operations are atomic; where two threads meet
# between them, some memory goes back to the system.
_free: dict[int, deque[np.ndarray]] = {}


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
    left = _free.get(size)
    try:
        memory = left.pop() if left else None
    except IndexError:  # another thread has taken it
        memory = None
    if not left:
        _free.pop(size, None)
    if memory is not None:
        return memory
    fresh = np.empty(size + LINE, np.uint8)
    start = -fresh.ctypes.data % LINE
    return fresh[start : start + size]


def _keep(memory: np.ndarray) -> None:
    """Takes memory back; that of the size which was used longest ago goes where there is too
    much."""
    left = _free.pop(memory.nbytes, None) or deque()
    left.append(memory)
    _free[memory.nbytes] = left
    taken = sum(size * len(some) for size, some in list(_free.items()))
    for size, some in list(_free.items()):
        while taken > KEPT and some:
            with suppress(IndexError):  # another thread has taken the last
                some.popleft()
            taken -= size
        if not some:
            _free.pop(size, None)
