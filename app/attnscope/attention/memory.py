"""Reuse of freed array buffers, so that large results do not page-fault.

Fresh memory costs a page fault every few kilobytes, and freeing it costs again: a third of the time
of 1,024 tokens × 12 heads (benchmarks/dense_trace.py prints both). Buffers of freed arrays are
therefore kept in a free list of up to KEPT bytes.
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

LARGE = 1 << 16  # bytes; below, page faults cost less than a lease
LINE = 64  # bytes of a cache line
KEPT = 256 << 20

# Free buffers by size, most recently freed last. Single operations are atomic; a race between two
# can only return some memory to the system.
_free: dict[int, deque[np.ndarray]] = {}


def empty(shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
    """np.empty, in a free buffer of exactly this size if there is one."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < LARGE:
        return np.empty(shape, dtype)
    memory = _take_free(size)
    # Every view of the array (slices, reshapes, transposes) keeps this lease alive; when it is
    # collected, the memory is unreachable and can be reused.
    lease: Any = (ctypes.c_char * size).from_buffer(memory.data)
    weakref.finalize(lease, _give_back, memory).atexit = False
    return np.frombuffer(lease, dtype).reshape(shape)


def forget() -> None:
    """Return all free buffers to the system."""
    _free.clear()


def _take_free(size: int) -> np.ndarray:
    buffers = _free.get(size)
    try:
        memory = buffers.pop() if buffers else None
    except IndexError:  # another thread has taken it
        memory = None
    if not buffers:
        _free.pop(size, None)
    if memory is not None:
        return memory
    fresh = np.empty(size + LINE, np.uint8)
    start = -fresh.ctypes.data % LINE
    return fresh[start : start + size]


def _give_back(memory: np.ndarray) -> None:
    """Add a buffer to the free list; evict the least recently used size if the list is full."""
    buffers = _free.pop(memory.nbytes, None) or deque()
    buffers.append(memory)
    _free[memory.nbytes] = buffers
    taken = sum(size * len(some) for size, some in list(_free.items()))
    for size, some in list(_free.items()):
        while taken > KEPT and some:
            with suppress(IndexError):  # another thread has taken the last
                some.popleft()
            taken -= size
        if not some:
            _free.pop(size, None)
