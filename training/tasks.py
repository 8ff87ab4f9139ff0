"""Problems whose answer is written after a sign:

reversal   a7f3>3f7a.      sorting   38140>01348.      addition   47+85=231.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

DIGITS = "0123456789"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
END = "."
SHORTEST, LONGEST = 3, 8  # of what is reversed or sorted
HELD_OUT = 10  # one problem in ten


class Problem(NamedTuple):
    """`picture`: cells (query, key) of the expected map."""

    asked: str
    answer: str
    picture: list[tuple[int, int]]

    @property
    def is_held_out(self) -> bool:
        return zlib.crc32(self.asked.encode()) % HELD_OUT == 0


class Task(NamedTuple):
    """`longest`: with the answer."""

    draw: Callable[[np.random.Generator], Problem]
    alphabet: str
    longest: int

    def problems(self, count: int, held_out: bool, draw: np.random.Generator) -> list[Problem]:
        found: list[Problem] = []
        while len(found) < count:
            problem = self.draw(draw)
            if problem.is_held_out == held_out:
                found.append(problem)
        return found


def reversal(draw: np.random.Generator) -> Problem:
    """The map reads each character before it is written."""
    prompt = characters(LETTERS + DIGITS, draw)
    n = len(prompt)
    return Problem(f"{prompt}>", f"{prompt[::-1]}{END}", [(n + i, n - 1 - i) for i in range(n)])


def sorting(draw: np.random.Generator) -> Problem:
    """The map reads each digit before it is written."""
    prompt = characters(DIGITS, draw, again=False)
    answer = "".join(sorted(prompt))
    picture = [(len(prompt) + i, prompt.index(digit)) for i, digit in enumerate(answer)]
    return Problem(f"{prompt}>", f"{answer}{END}", picture)


def addition(draw: np.random.Generator) -> Problem:
    """Last digit first; digits of the second number attend to their columns in the first."""
    first, second = draw.integers(100, size=2)
    columns = [(3, 0), (4, 1)]
    return Problem(f"{first:02}+{second:02}=", f"{first + second:03}"[::-1] + END, columns)


def characters(alphabet: str, draw: np.random.Generator, again: bool = True) -> str:
    """`again`: with repetition."""
    return "".join(draw.choice(list(alphabet), draw.integers(SHORTEST, LONGEST + 1), again))


TASKS = {
    "reversal": Task(reversal, f"{LETTERS}{DIGITS}>{END}", 2 * LONGEST + 2),
    "sorting": Task(sorting, f"{DIGITS}>{END}", 2 * LONGEST + 2),
    "addition": Task(addition, f"{DIGITS}+={END}", 10),
}
