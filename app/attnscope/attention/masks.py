"""Which query may attend to which key, as functions of (rows, cols), without n × m arrays. True
means open."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Integer

Rows = Integer[np.ndarray, " rows"]
Cols = Integer[np.ndarray, " cols"]
Cells = Integer[np.ndarray, "2 cell"]
Open = Bool[np.ndarray, "rows cols"]
Padding = Literal["queries_and_keys", "keys"]
Given = Bool[np.ndarray, "batch head query key"]
Whole = Literal["open", "closed", "partly"]
Knocked = frozenset[tuple[int | None, int, int]]  # head (None: all), query, key


def causal(rows: Rows, cols: Cols) -> Open:
    """j ≤ i."""
    allowed: np.ndarray = cols <= rows[:, None]
    return allowed


def window(rows: Rows, cols: Cols, width: int) -> Open:
    """|i − j| < width: a sliding window (Beltagy et al. 2020, "Longformer")."""
    allowed: np.ndarray = np.abs(rows[:, None] - cols) < width
    return allowed


def global_tokens(rows: Rows, cols: Cols, count: int, places: Sequence[int] = ()) -> Open:
    """i or j is one of the first g tokens or of `places` (Beltagy et al. 2020; Zaheer et al. 2020,
    "Big Bird")."""
    own, others = ((one < count) | np.isin(one, places) for one in (rows, cols))
    allowed: np.ndarray = own[:, None] | others
    return allowed


def strided(rows: Rows, cols: Cols, stride: int) -> Open:
    """|i − j| divisible by the stride (Child et al. 2019, "Sparse Transformers")."""
    allowed: np.ndarray = (rows[:, None] - cols) % stride == 0
    return allowed


def same_block(rows: Rows, cols: Cols, size: int) -> Open:
    """⌊i / s⌋ = ⌊j / s⌋ (Qiu et al. 2020, "Blockwise self-attention")."""
    allowed: np.ndarray = (rows // size)[:, None] == cols // size
    return allowed


def prefix(rows: Rows, cols: Cols, length: int) -> Open:
    """j < length, for every query (Raffel et al. 2020, "T5", prefix LM)."""
    return np.broadcast_to(cols < length, (len(rows), len(cols)))


def padding(rows: Rows, cols: Cols, query_length: int | None, key_length: int) -> Open:
    """Query and key are tokens, not padding; query_length None: queries are not padded."""
    real = np.ones(len(rows), bool) if query_length is None else rows < query_length
    allowed: np.ndarray = real[:, None] & (cols < key_length)
    return allowed


def painted(rows: Rows, cols: Cols, blocked: Cells) -> Open:
    """Open except for blocked cells (i, j), sorted by i."""
    allowed, (i, j) = np.ones((len(rows), len(cols)), bool), blocked
    first, behind = np.searchsorted(i, rows), np.searchsorted(i, rows, "right")
    counts = behind - first
    at_row = np.repeat(np.arange(len(rows)), counts)
    here = np.arange(len(at_row)) + np.repeat(first - counts.cumsum() + counts, counts)
    order = np.argsort(cols, kind="stable")
    at_col = np.searchsorted(cols, j[here], sorter=order)
    at_col = order[np.minimum(at_col, len(cols) - 1)]
    there = cols[at_col] == j[here]
    allowed[at_row[there], at_col[there]] = False
    return allowed


class Block(NamedTuple):
    """First and last row and column."""

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
        """Whether any of the cells, sorted by i, is inside."""
        (top, bottom), (left, right) = self.rows, self.cols
        first, behind = np.searchsorted(cells[0], (top, bottom + 1))
        some = cells[1, first:behind]
        return bool(((some >= left) & (some <= right)).any())


def _sorted(cells: Iterator[tuple[int, int]]) -> Cells:
    numbers = np.fromiter(chain.from_iterable(cells), np.int64).reshape(-1, 2).T
    return numbers[:, np.argsort(numbers[0])]


def _run(places: Rows) -> slice | Rows:
    if len(places) and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


@dataclass(frozen=True)
class Mask:
    """A combination of masks: a cell is open if every one opens it.

    The patterns (window, global tokens, stride, blocks) count as one mask, open where any is. The
    prefix overrides causal and the patterns only. `given` broadcasts axes of size 1. `pads`:
    whether padding closes queries too. `within`: the model's own window. `knocked`: cells of single
    heads.
    """

    causal: bool = False
    window: int | None = None
    prefix: int = 0
    blocked: frozenset[tuple[int, int]] = frozenset()
    given: Given | None = field(default=None, compare=False)
    pads: Padding = "queries_and_keys"
    global_tokens: int = 0
    global_places: frozenset[int] = frozenset()
    stride: int | None = None
    block_size: int | None = None
    within: int | None = None
    knocked: Knocked = frozenset()

    @cached_property
    def patterns(self) -> list[str]:
        asked = {
            "window": self.window is not None, "global_tokens": self.global_tokens > 0,
            "global_places": bool(self.global_places),
            "stride": self.stride is not None, "block_size": self.block_size is not None,
        }  # fmt: skip
        return [name for name, it in asked.items() if it]

    @property
    def tells_by_distance(self) -> bool:
        """Whether j − i alone decides, without padding."""
        counts = self.prefix or self.global_tokens or self.block_size
        listed = self.blocked or self.global_places or self.knocked
        return not (counts or listed) and self.given is None

    @property
    def sees_ahead(self) -> bool:
        """Whether a query may attend to later keys."""
        return not self.causal or self.prefix > 0

    @property
    def differs_by_head(self) -> bool:
        return bool(self.knocked) or (self.given is not None and self.given.shape[1] > 1)

    def of_text(self, batch: int) -> Mask:
        if self.given is None or len(self.given) == 1:
            return self
        return replace(self, given=self.given[batch : batch + 1])

    def closes_nothing(self, rows: int, cols: int, lengths: list[tuple[int, int]]) -> bool:
        asked = self.causal or bool(self.patterns or self.blocked or self.within or self.knocked)
        asked = asked or (self.given is not None and not self.given.all())
        padded = [real != (rows, cols) if self.pads == "queries_and_keys" else real[1] != cols
                  for real in lengths]  # fmt: skip
        return not asked and not any(padded)

    def may_attend(
        self, rows: Rows, cols: Cols, lengths: tuple[int, int], batch: int = 0, head: int = 0
    ) -> Open:
        """Open cells of a block; `lengths`: queries and keys without padding."""
        allowed = np.ones((len(rows), len(cols)), bool)
        if self.causal:
            allowed &= causal(rows, cols)
        if self.patterns:
            allowed &= self._patterned(rows, cols)
        if self.prefix:
            allowed |= prefix(rows, cols, self.prefix)
        if self.blocked and allowed.size:
            allowed &= painted(rows, cols, self._blocked_cells)
        if self.knocked and allowed.size:
            allowed &= painted(rows, cols, self._knocked_cells(head))
        if self.given is not None:
            allowed &= self._given(rows, cols, batch, head)
        if self.within is not None:
            allowed &= window(rows, cols, self.within)
        queries, keys = lengths[0] if self.pads == "queries_and_keys" else None, lengths[1]
        if (cols >= keys).any() or (queries is not None and (rows >= queries).any()):
            allowed &= padding(rows, cols, queries, keys)
        return allowed

    def block_is(
        self, rows: slice, cols: slice, lengths: tuple[int, int], batch: int = 0, head: int = 0
    ) -> Whole:
        """The state of a block, judged by its corners; "partly" if undecided."""
        block = Block.of(rows, cols)
        every, some = not self.causal or block.ahead <= 0, not self.causal or block.behind >= 0
        if self.patterns:
            pattern = self._pattern_is(block)
            every, some = every and pattern[0], some and pattern[1]
        every, some = every or cols.stop <= self.prefix, some or cols.start < self.prefix
        if self.blocked and every:
            every = not block.has_any(self._blocked_cells)
        if self.knocked and every:
            every = not block.has_any(self._knocked_cells(head))
        if self.given is not None and some:
            own = self._given(np.arange(rows.start, rows.stop), np.arange(cols.start, cols.stop),
                              batch, head)  # fmt: skip
            every, some = every and bool(own.all()), bool(own.any())
        if self.within is not None:
            every, some = (
                every and block.furthest < self.within,
                block.nearest < self.within and some,
            )
        queries = lengths[0] if self.pads == "queries_and_keys" else rows.stop
        every = every and rows.stop <= queries and cols.stop <= lengths[1]
        some = some and rows.start < queries and cols.start < lengths[1]
        return "open" if every else "partly" if some else "closed"

    @cached_property
    def _blocked_cells(self) -> Cells:
        return _sorted(iter(self.blocked))

    @cached_property
    def _cells_by_head(self) -> dict[int | None, Cells]:
        """Cells by head; None: of all other heads."""
        heads = {head for head, _, _ in self.knocked} | {None}
        return {
            head: _sorted((i, j) for own, i, j in self.knocked if own in (head, None))
            for head in heads
        }

    def _knocked_cells(self, head: int) -> Cells:
        found = self._cells_by_head
        return found.get(head, found[None])

    def _pattern_is(self, block: Block) -> tuple[bool, bool]:
        """Whether a pattern opens all cells of a block, and whether any may open some."""
        (top, bottom), (left, right) = block.rows, block.cols
        some = top < self.global_tokens or left < self.global_tokens
        some = some or any(map(self._has_global, (block.rows, block.cols)))
        every = bottom < self.global_tokens or right < self.global_tokens
        if self.window is not None:
            every, some = every or block.furthest < self.window, some or block.nearest < self.window
        if self.stride is not None:
            every, some = every or self.stride == 1, True
        if (size := self.block_size) is not None:
            every = every or top // size == bottom // size == left // size == right // size
            some = some or (top // size <= right // size and left // size <= bottom // size)
        return every, some

    @cached_property
    def _global_places(self) -> list[int]:
        return sorted(self.global_places)

    def _has_global(self, span: tuple[int, int]) -> bool:
        places = self._global_places
        after = bisect_left(places, span[0])
        return after < len(places) and places[after] <= span[1]

    def _patterned(self, rows: Rows, cols: Cols) -> Open:
        allowed = global_tokens(rows, cols, self.global_tokens, self._global_places)
        if self.window is not None:
            allowed |= window(rows, cols, self.window)
        if self.stride is not None:
            allowed |= strided(rows, cols, self.stride)
        if self.block_size is not None:
            allowed |= same_block(rows, cols, self.block_size)
        return allowed

    def _given(
        self, rows: Rows, cols: Cols, batch: int, head: int
    ) -> Open | Bool[np.ndarray, "1 cols"]:
        """Cells that `given` opens; one row if the same for all queries."""
        assert self.given is not None
        batches, heads, queries, _ = self.given.shape
        own = self.given[batch % batches, head % heads]
        span = slice(0, 1) if queries == 1 else _run(rows)
        near = isinstance(span, slice)
        allowed: np.ndarray = own[span][:, _run(cols)] if near else own[rows[:, None], cols]
        return allowed

    def _opened(self, row: int, col: int, batch: int, head: int) -> bool:
        return bool(self._given(np.array([row]), np.array([col]), batch, head)[0, 0])

    def closed_by(
        self, row: int, col: int, lengths: tuple[int, int], batch: int = 0, head: int = 0
    ) -> list[str]:
        """The masks that close a cell; empty if it is open."""
        free = col < self.prefix
        closed: list[str] = []
        if row >= lengths[0] and self.pads == "queries_and_keys":
            closed.append("padded_query")
        if col >= lengths[1]:
            closed.append("padded_key")
        if self.blocked and (row, col) in self.blocked:
            closed.append("blocked")
        if self.knocked and not self.knocked.isdisjoint(((head, row, col), (None, row, col))):
            closed.append("knockout")
        if self.given is not None and not self._opened(row, col, batch, head):
            closed.append("mask")
        if self.causal and col > row and not free:
            closed.append("causal")
        if self.within is not None and abs(row - col) >= self.within:
            closed.append("model_window")
        if self.patterns and not (free or self._opens(row, col)):
            closed += self.patterns
        return closed

    def _opens(self, row: int, col: int) -> bool:
        return (
            row < self.global_tokens
            or col < self.global_tokens
            or row in self.global_places
            or col in self.global_places
            or (self.window is not None and abs(row - col) < self.window)
            or (self.stride is not None and abs(row - col) % self.stride == 0)
            or (self.block_size is not None and row // self.block_size == col // self.block_size)
        )
