"""Medians, taken in turn, so that a slow spell of the machine hits both sides."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

ROUNDS = 3
REST = 0.5  # seconds


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


def in_blocks(runs: int, *works: Callable[[], object]) -> list[float]:
    """The median seconds of each, A A … B B …, ROUNDS times, each block after a rest and a warm-up.
    For what keeps the cores busy after it has returned, as PyTorch's threads do, which wait for the
    next task in a loop: taken in turn, the other side would pay for that."""
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for times, work in zip(taken, works, strict=True):
            time.sleep(REST)
            work()
            for _ in range(runs):
                began = time.perf_counter()
                work()
                times.append(time.perf_counter() - began)
    return [statistics.median(times) for times in taken]


if __name__ == "__main__":
    print("a helper of the other scripts; it measures nothing by itself")
