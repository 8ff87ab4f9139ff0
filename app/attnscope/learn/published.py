"""Numbers as the page of errata shows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from attnscope.learn.parts import Body
from attnscope.trace.examples import Example, examples

ROUNDING = 1e-9  # differences below this are rounding


def decimal(number: float, decimals: int = 2) -> str:
    """A number with a true minus sign; 0 if it is rounding error."""
    if abs(number) < ROUNDING:
        return "0"
    return f"{number:.{decimals}f}".replace("-", "−")


def listed(row: Iterable[float], decimals: int = 2) -> str:
    return ", ".join(decimal(number, decimals) for number in row)


def shape(array: np.ndarray) -> str:
    return " × ".join(map(str, array.shape))


def apart(one: np.ndarray, other: np.ndarray, decimals: int = 2) -> str:
    """The largest difference of two arrays."""
    return decimal(float(np.abs(one - other).max()), decimals)


def example(name: str) -> Example:
    return next(each for each in examples() if each.id == name)


def example_question(name: str) -> Body:
    return example(name).question


def computed_row(name: str, at: int = 0, decimals: int = 2) -> str:
    """The computed numbers of a published figure, in one line."""
    numbers: Any = np.array(example(name).figures[at].computed, dtype=float)
    return listed(numbers.ravel(), decimals)
