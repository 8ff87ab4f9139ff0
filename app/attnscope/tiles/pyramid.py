"""Addresses of tiles. At z = 0 one tile shows the map; each level halves the squares' sides."""

from __future__ import annotations

import math
from typing import NamedTuple

from attnscope.errors import Unknown
from attnscope.trace.stage_map import Squares

TILE = 256


class Address(NamedTuple):
    z: int
    row: int
    col: int


def count_levels(n: int, m: int) -> int:
    return 1 + max(0, math.ceil(math.log2(max(n, m) / TILE)))


def squares_of(shape: tuple[int, ...], at: Address) -> Squares:
    """Raises Unknown."""
    n, m = shape[-2:]
    levels = count_levels(n, m)
    if at.z >= levels:
        raise Unknown("no_level", at="z", z=at.z, last=levels - 1)
    side = 1 << (levels - 1 - at.z)
    reach = TILE * side
    if at.row * reach >= n or at.col * reach >= m:
        last = {"last_row": (n - 1) // reach, "last_col": (m - 1) // reach}
        raise Unknown("no_tile", at="row", z=at.z, row=at.row, col=at.col, **last)
    rows = slice(at.row * reach, min((at.row + 1) * reach, n))
    cols = slice(at.col * reach, min((at.col + 1) * reach, m))
    return Squares(rows, cols, (side, side))


def squares_within(shape: tuple[int, ...], size: int) -> Squares:
    """At most size × size squares that cover a map."""
    rows, cols = shape[-2:]
    sides = (side_within(rows, size), side_within(cols, size))
    return Squares(slice(0, rows), slice(0, cols), sides)


def side_within(count: int, size: int) -> int:
    """Smallest power of two that cuts `count` into `size` pieces or fewer."""
    return 1 << max(0, math.ceil(math.log2(count / size)))
