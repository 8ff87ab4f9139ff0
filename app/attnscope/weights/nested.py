"""Nested lists to one array, in chunks. Every leaf is checked before numpy sees it, since numpy
pads a list of strings to its longest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from math import prod
from typing import Any

import numpy as np

PIECE = 2**15  # items at a time, so that no call holds the GIL for long
NUMBERS = {int, float}  # exactly: True is an int, too


class Ragged(ValueError):
    """Lists of different lengths or depths side by side."""


class NotNumbers(ValueError):
    """A leaf that is not a number, or too large for float64."""


def shape_along_first(value: list[Any]) -> tuple[int, ...]:
    """Lengths down the first item of each list, which all others must match."""
    shape: list[int] = []
    item: Any = value
    while isinstance(item, list):
        shape.append(len(item))
        item = item[0] if item else None
    return tuple(shape)


def check_rows(value: list[Any], shape: tuple[int, ...]) -> None:
    """Raises Ragged unless all lists have this shape; leaves are not checked."""
    for axis in range(1, len(shape)):
        for piece in pieces(_down(value, axis)):
            if set(map(type, piece)) != {list} or set(map(len, piece)) != {shape[axis]}:
                raise Ragged


def filled(value: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """The leaves of checked lists as float64 of that shape.

    Raises NotNumbers, and Ragged for a list in place of a number.
    """
    array = np.empty(prod(shape))
    reached = 0
    for piece in pieces(_down(value, len(shape))):
        if not (kinds := set(map(type, piece))) <= NUMBERS:
            raise Ragged if list in kinds else NotNumbers
        try:
            array[reached : reached + len(piece)] = piece
        except OverflowError:
            raise NotNumbers from None
        reached += len(piece)
    return array.reshape(shape)


def pieces(items: Iterable[Any]) -> Iterator[list[Any]]:
    """The items in chunks."""
    rest = iter(items)
    while piece := list(islice(rest, PIECE)):
        yield piece


def _down(value: list[Any], axis: int) -> Iterable[Any]:
    """The lists at a nesting depth, the outermost being 1, in order."""
    items: Iterable[Any] = value
    for _ in range(axis - 1):
        items = chain.from_iterable(items)
    return items
