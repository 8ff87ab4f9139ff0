"""Reuse of freed buffers, as page faults are slow (benchmarks/dense_trace.py)."""

from __future__ import annotations

import ctypes
import math
import weakref
from collections import deque
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

LARGE = 1 << 16  # bytes; reuse of smaller arrays costs more than it saves
LINE = 64
KEPT = 256 << 20  # bytes

# No lock: each operation is atomic, and a race at worst frees a buffer.
_free: dict[int, deque[np.ndarray]] = {}


def empty(shape: tuple[int, ...], dtype: DTypeLike) -> np.ndarray:
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < LARGE:
        return np.empty(shape, dtype)
    memory = _take_free(size)
    # The buffer is free once no view holds the lease.
    lease: Any = (ctypes.c_char * size).from_buffer(memory.data)
    weakref.finalize(lease, _give_back, memory).atexit = False
    return np.frombuffer(lease, dtype).reshape(shape)


def drop_free_buffers() -> None:
    _free.clear()


def _take_free(size: int) -> np.ndarray:
    buffers = _free.get(size)
    try:
        memory = buffers.pop() if buffers else None
    except IndexError:
        memory = None
    if not buffers:
        _free.pop(size, None)
    if memory is not None:
        return memory
    fresh = np.empty(size + LINE, np.uint8)
    start = -fresh.ctypes.data % LINE
    return fresh[start : start + size]


def _give_back(memory: np.ndarray) -> None:
    """Above KEPT bytes, evict the sizes freed longest ago."""
    buffers = _free.pop(memory.nbytes, None) or deque()
    buffers.append(memory)
    _free[memory.nbytes] = buffers
    total = sum(size * len(some) for size, some in list(_free.items()))
    for size, some in list(_free.items()):
        while total > KEPT and some:
            with suppress(IndexError):
                some.popleft()
            total -= size
        if not some:
            _free.pop(size, None)
