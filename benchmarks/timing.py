"""Medians, in turn, so that a slow spell affects both sides."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

ROUNDS = 3
REST = 0.5  # seconds


def in_turn(
    runs: int, *works: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Median seconds, A B A B …, after a warm-up. On busy cores: clock=time.process_time."""
    taken: list[list[float]] = [[] for _ in works]
    for run in range(runs + 1):
        for times, work in zip(taken, works, strict=True):
            began = clock()
            work()
            if run:
                times.append(clock() - began)
    return [statistics.median(times) for times in taken]


def in_blocks(runs: int, *works: Callable[[], object]) -> list[float]:
    """Median seconds, A A … B B …, ROUNDS times, after rest and warm-up.

    For PyTorch, whose threads spin after work: in turn, the other side would pay for that.
    """
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
