"""Spreads blocks of a computation over the cores.

numpy releases the interpreter lock inside its loops, so plain threads do; the linear algebra
library underneath is held to one thread (`app.main`), or the two would fight for the cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")


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
