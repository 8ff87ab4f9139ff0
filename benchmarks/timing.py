"""Medians, taken in turn, so that a slow spell of the machine hits both sides."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def in_turn(runs: int, *works: Callable[[], object]) -> list[float]:
    """The median seconds of each, A B A B …, after one warm-up each."""
    taken: list[list[float]] = [[] for _ in works]
    for run in range(runs + 1):
        for times, work in zip(taken, works, strict=True):
            began = time.perf_counter()
            work()
            if run:
                times.append(time.perf_counter() - began)
    return [statistics.median(times) for times in taken]


if __name__ == "__main__":
    print("a helper of the other scripts; it measures nothing by itself")
