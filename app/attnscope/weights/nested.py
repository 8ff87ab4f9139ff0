"""Convert nested lists to arrays. Types are checked first, as numpy would pad strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from math import prod
from typing import Any

import numpy as np

PIECE = 2**15  # items converted at once; other threads run in between
NUMBERS = {int, float}  # not bool


class Ragged(ValueError):
    pass


class NotNumbers(ValueError):
    """A leaf is no number, or too large for float64."""


def shape_along_first(value: list[Any]) -> tuple[int, ...]:
    shape: list[int] = []
    item: Any = value
    while isinstance(item, list):
        shape.append(len(item))
        item = item[0] if item else None
    return tuple(shape)


def check_rows(value: list[Any], shape: tuple[int, ...]) -> None:
    """Raises Ragged unless all rows are lists of the lengths in `shape`. Leaves are not checked."""
    for axis in range(1, len(shape)):
        for piece in pieces(_down(value, axis)):
            if set(map(type, piece)) != {list} or set(map(len, piece)) != {shape[axis]}:
                raise Ragged


def filled(value: list[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Return float64. Raises NotNumbers, or Ragged if a leaf is a list."""
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
    rest = iter(items)
    while piece := list(islice(rest, PIECE)):
        yield piece


def _down(value: list[Any], axis: int) -> Iterable[Any]:
    items: Iterable[Any] = value
    for _ in range(axis - 1):
        items = chain.from_iterable(items)
    return items
