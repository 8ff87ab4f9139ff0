"""Spreads blocks of a computation over the cores.

numpy releases the interpreter lock inside its loops, so plain threads do; the linear algebra
library underneath is held to one thread (`app.main`), or the two would fight for the cores.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 32  # pieces that another executor is given at once, however many workers it has


@cache
def _pool() -> tuple[ThreadPoolExecutor, int]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return ThreadPoolExecutor(cores, "lane"), cores or 1


def for_each(task: Callable[[T], None], items: Sequence[T], spread: bool) -> None:
    """Runs task(item) for all items, in order where `spread` is false, else over the cores."""
    if not spread or len(items) == 1:
        for item in items:
            task(item)
        return
    pool, cores = _pool()
    left = iter(items)  # shared: a core that is done takes the next item

    def share() -> None:
        for item in left:
            task(item)

    for done in [pool.submit(share) for _ in range(cores)]:
        done.result()


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
