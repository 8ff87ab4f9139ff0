"""Nested lists → one array, a piece at a time: every leaf is known to be a number before numpy
sees it, for numpy gives a list of texts the room of its longest text for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from math import prod
from typing import Any

import numpy as np

PIECE = 2**15  # items taken at once: no call holds the interpreter for long
NUMBERS = {int, float}  # exactly: True is an int, too


class Ragged(ValueError):
    """Lists of several lengths or depths side by side."""


class NotNumbers(ValueError):
    """A leaf is no number, or too large for any float."""


def shape_along_first(value: list[Any]) -> tuple[int, ...]:
    """The sizes down the first item of each list; what all the others should have."""
    shape: list[int] = []
    item: Any = value
    while isinstance(item, list):
        shape.append(len(item))
        item = item[0] if item else None
    return tuple(shape)


def check_rows(value: list[Any], shape: tuple[int, ...]) -> None:
    """Raises Ragged where lists of lists have not this shape; the leaves are not looked at."""
    for axis in range(1, len(shape)):
        for piece in pieces(_down(value, axis)):
            if set(map(type, piece)) != {list} or set(map(len, piece)) != {shape[axis]}:
                raise Ragged


def filled(value: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """The numbers of lists whose rows were checked, float64 of that shape.

    Raises NotNumbers, and Ragged for a list where a number should be.
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
    """The items, some thousands at a time."""
    rest = iter(items)
    while piece := list(islice(rest, PIECE)):
        yield piece


def _down(value: list[Any], axis: int) -> Iterable[Any]:
    """What lies so many lists deep, the outermost being one, in order."""
    items: Iterable[Any] = value
    for _ in range(axis - 1):
        items = chain.from_iterable(items)
    return items
