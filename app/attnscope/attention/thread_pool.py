"""Run numpy on all cores: it releases the GIL, and `create_app` gives BLAS one thread. Overflow
does not warn, as `checks.non_finite` counts it."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from typing import TypeVar

import numpy as np

T = TypeVar("T")
R = TypeVar("R")

MOST_IN_FLIGHT = 32  # calls in flight on another executor

# Buffer of numpy's ufuncs. With the default, 8,192, ufuncs copy rows.
UFUNC_BUFFER = 256

_busy = threading.local()


@cache
def _pool() -> tuple[ThreadPoolExecutor, int]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return ThreadPoolExecutor(cores, "attention", initializer=_configure_numpy), cores or 1


def _configure_numpy() -> None:
    np.seterr(over="ignore", invalid="ignore")
    np.setbufsize(UFUNC_BUFFER)


def for_each(task: Callable[[T], None], items: Sequence[T], spread: bool) -> None:
    """With `spread`, use all cores, except in a nested call. A failure skips pending items."""
    remaining = iter(items)

    def share() -> None:
        for item in remaining:
            task(item)

    def share_alone() -> None:
        _busy.here = True
        try:
            share()
        finally:
            _busy.here = False

    with np.errstate(over="ignore", invalid="ignore"):  # also restores the buffer size
        if not spread:
            share()
            return
        np.setbufsize(UFUNC_BUFFER)
        if len(items) == 1 or getattr(_busy, "here", False):
            share()
            return
        pool, cores = _pool()
        # Threads do not inherit the context, which cancellation.check reads.
        others = [
            pool.submit(copy_context().run, share_alone) for _ in range(min(cores, len(items)) - 1)
        ]
        try:
            share_alone()
        finally:
            deque(remaining, 0)  # drop the rest after a failure
            for other in others:
                if not other.cancel():
                    other.result()


def map_in_order(
    task: Callable[..., R], calls: Iterable[tuple[object, ...]], executor: Executor | None = None
) -> Iterator[R]:
    """Yield results in the order of `calls`; cancel pending ones if the consumer stops."""
    pool, cores = _pool()
    ahead = 2 * cores if executor is None else MOST_IN_FLIGHT
    waiting: deque[Future[R]] = deque()
    try:
        for call in calls:
            waiting.append((executor or pool).submit(task, *call))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for one in waiting:
            one.cancel()


def shared_executor() -> Executor:
    return _pool()[0]
