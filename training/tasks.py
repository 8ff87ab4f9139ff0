"""Problems whose answer a small decoder writes, character by character, after a sign.

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
HELD_OUT = 10  # one problem in ten is in no batch


class Problem(NamedTuple):
    """What is asked, its sign with it; the answer up to its end; and the cells (query, key) that
    make the picture: where a character is read or about to be written, and what it needs."""

    asked: str
    answer: str
    picture: list[tuple[int, int]]

    @property
    def is_held_out(self) -> bool:
        return zlib.crc32(self.asked.encode()) % HELD_OUT == 0


class Task(NamedTuple):
    """A kind of problem, what can stand in one, and the length of the longest with its answer."""

    draw: Callable[[np.random.Generator], Problem]
    alphabet: str
    longest: int

    def problems(self, count: int, held_out: bool, draw: np.random.Generator) -> list[Problem]:
        """As many problems, of those that are trained on or of those that are not."""
        found: list[Problem] = []
        while len(found) < count:
            problem = self.draw(draw)
            if problem.is_held_out == held_out:
                found.append(problem)
        return found


def reversal(draw: np.random.Generator) -> Problem:
    """Letters and digits, and the same from the end: each is looked at before it is written."""
    said = characters(LETTERS + DIGITS, draw)
    n = len(said)
    return Problem(f"{said}>", f"{said[::-1]}{END}", [(n + i, n - 1 - i) for i in range(n)])


def sorting(draw: np.random.Generator) -> Problem:
    """Digits, none of them twice, and the same from the smallest: each is looked at before it is
    written."""
    said = characters(DIGITS, draw, again=False)
    answer = "".join(sorted(said))
    picture = [(len(said) + i, said.index(digit)) for i, digit in enumerate(answer)]
    return Problem(f"{said}>", f"{answer}{END}", picture)


def addition(draw: np.random.Generator) -> Problem:
    """Two numbers of two digits, and the three digits of their sum from the last, as one adds by
    hand: the digits of the second look at those of the first in their columns."""
    first, second = draw.integers(100, size=2)
    columns = [(3, 0), (4, 1)]
    return Problem(f"{first:02}+{second:02}=", f"{first + second:03}"[::-1] + END, columns)


def characters(alphabet: str, draw: np.random.Generator, again: bool = True) -> str:
    """Some of an alphabet; whether one can come again."""
    return "".join(draw.choice(list(alphabet), draw.integers(SHORTEST, LONGEST + 1), again))


TASKS = {
    "reversal": Task(reversal, f"{LETTERS}{DIGITS}>{END}", 2 * LONGEST + 2),
    "sorting": Task(sorting, f"{DIGITS}>{END}", 2 * LONGEST + 2),
    "addition": Task(addition, f"{DIGITS}+={END}", 10),
}
