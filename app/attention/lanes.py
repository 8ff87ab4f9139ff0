"""Spreads blocks of a computation over the cores.

numpy releases the interpreter lock inside its loops, so plain threads do; the linear algebra
library underneath is held to one thread (`app.main`), or the two would fight for the cores.
Infinities and what is no number pass without a word: they are counted in checks.non_finite.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import numpy as np

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 32  # pieces that another executor is given at once, however many workers it has

# Numbers. numpy takes the rows of a slice through a buffer of 8,192, several at once, and copies
# them there and back: half of a softmax of 1,024 keys. Rows that are longer than the buffer are
# worked on where they lie. No number depends on it.
BUFFER = 256

_busy = threading.local()  # set in a thread that works on an item of a spread call


@cache
def _pool() -> tuple[ThreadPoolExecutor, int]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return ThreadPoolExecutor(cores, "lane", initializer=_set), cores or 1


def _set() -> None:
    np.seterr(over="ignore", invalid="ignore")
    np.setbufsize(BUFFER)


def for_each(task: Callable[[T], None], items: Sequence[T], spread: bool) -> None:
    """Runs task(item) for all items, in order where `spread` is false, else over the cores, of
    which the caller's is one. Inside a task every core has work, so calls there run in order.

    An item that fails ends the call: those that have not begun never do.
    """
    left = iter(items)  # shared: a core that is done takes the next item

    def share() -> None:
        for item in left:
            task(item)

    def share_alone() -> None:
        _busy.here = True
        try:
            share()
        finally:
            _busy.here = False

    with np.errstate(over="ignore", invalid="ignore"):  # behind it the buffer too is as it was
        if not spread:  # a few numbers, of which setting the buffer would take a part as long
            share()
            return
        np.setbufsize(BUFFER)
        if len(items) == 1 or getattr(_busy, "here", False):
            share()
            return
        pool, cores = _pool()
        others = [pool.submit(share_alone) for _ in range(min(cores, len(items)) - 1)]
        try:
            share_alone()
        finally:
            deque(left, 0)  # empty, unless the caller's share failed
            for other in others:
                if not other.cancel():
                    other.result()


def in_order(
    task: Callable[..., R], calls: Iterable[tuple[object, ...]], executor: Executor | None = None
) -> Iterator[R]:
    """task(*call) for all calls, over the cores or by another executor, in the order of the calls.

    Few are under way at once: small work of others finds its turn between two of them. Where
    nobody takes the next one, those that have not begun never do.
    """
    pool, cores = _pool()
    ahead = 2 * cores if executor is None else AHEAD
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


def cores() -> Executor:
    """The threads that all of this is done in."""
    return _pool()[0]
