"""Patterns; a cell is open if any of them opens it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Integer

Rows = Integer[np.ndarray, " rows"]
Cols = Integer[np.ndarray, " cols"]
Cells = Integer[np.ndarray, "2 cell"]
Open = Bool[np.ndarray, "rows cols"]


def window(rows: Rows, cols: Cols, width: int) -> Open:
    """Sliding window (Beltagy et al. 2020, "Longformer")."""
    allowed: np.ndarray = np.abs(rows[:, None] - cols) < width
    return allowed


def global_tokens(rows: Rows, cols: Cols, count: int) -> Open:
    """Global tokens (Zaheer et al. 2020, "Big Bird")."""
    return (rows < count)[:, None] | (cols < count)


def global_places(rows: Rows, cols: Cols, places: Sequence[int]) -> Open:
    return np.isin(rows, places)[:, None] | np.isin(cols, places)


def strided(rows: Rows, cols: Cols, stride: int) -> Open:
    """Strides (Child et al. 2019, "Sparse Transformers")."""
    allowed: np.ndarray = (rows[:, None] - cols) % stride == 0
    return allowed


def same_block(rows: Rows, cols: Cols, size: int) -> Open:
    """Blocks (Qiu et al. 2020)."""
    allowed: np.ndarray = (rows // size)[:, None] == cols // size
    return allowed


class Block(NamedTuple):
    rows: tuple[int, int]
    cols: tuple[int, int]

    @classmethod
    def of(cls, rows: slice, cols: slice) -> Block:
        return cls((rows.start, rows.stop - 1), (cols.start, cols.stop - 1))

    @property
    def ahead(self) -> int:
        """Largest j − i."""
        return self.cols[1] - self.rows[0]

    @property
    def behind(self) -> int:
        """Largest i − j."""
        return self.rows[1] - self.cols[0]

    @property
    def nearest(self) -> int:
        """Smallest |i − j|."""
        return max(0, -self.ahead, -self.behind)

    @property
    def furthest(self) -> int:
        """Largest |i − j|."""
        return max(self.ahead, self.behind)

    def has_any(self, cells: Cells) -> bool:
        """Whether any of `cells`, sorted by i, is inside."""
        (top, bottom), (left, right) = self.rows, self.cols
        first, behind = np.searchsorted(cells[0], (top, bottom + 1))
        some = cells[1, first:behind]
        return bool(((some >= left) & (some <= right)).any())


# Whether all cells of a block are surely open, and any may be. Lambdas cannot be pickled.
def _by_window(block: Block, width: int) -> tuple[bool, bool]:
    return block.furthest < width, block.nearest < width


def _by_count(block: Block, count: int) -> tuple[bool, bool]:
    first, last = zip(*block, strict=True)
    return min(last) < count, min(first) < count


def _by_stride(_: Block, stride: int) -> tuple[bool, bool]:
    return stride == 1, True


def _by_block(block: Block, size: int) -> tuple[bool, bool]:
    (top, bottom), (left, right) = block
    every = top // size == bottom // size == left // size == right // size
    return every, top // size <= right // size and left // size <= bottom // size


def _by_places(block: Block, places: Sequence[int]) -> tuple[bool, bool]:
    def within(span: tuple[int, int]) -> bool:
        after = bisect_left(places, span[0])
        return after < len(places) and places[after] <= span[1]

    return False, any(map(within, block))


@dataclass(frozen=True, kw_only=True)
class PatternValues:
    """A pattern is off if its value is None, 0 or empty."""

    window: int | None = None
    global_tokens: int = 0
    global_places: frozenset[int] = frozenset()
    stride: int | None = None
    block_size: int | None = None


class Pattern(NamedTuple):
    """`by_distance`: whether j − i alone decides if a cell is open."""

    name: str
    opens: Callable[[Rows, Cols, Any], Open]
    of_block: Callable[[Block, Any], tuple[bool, bool]]
    by_distance: bool = True


PATTERNS = (
    Pattern("window", window, _by_window),
    Pattern("global_tokens", global_tokens, _by_count, by_distance=False),
    Pattern("global_places", global_places, _by_places, by_distance=False),
    Pattern("stride", strided, _by_stride),
    Pattern("block_size", same_block, _by_block, by_distance=False),
)
