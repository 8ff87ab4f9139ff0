"""Masks as functions of (rows, cols); only `given` is an array. True means open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np
from jaxtyping import Bool

from attnscope.attention.patterns import (
    PATTERNS,
    Block,
    Cells,
    Cols,
    Open,
    Pattern,
    PatternValues,
    Rows,
    window,
)

Padding = Literal["queries_and_keys", "keys"]
ExplicitMask = Bool[np.ndarray, "batch head query key"]
BlockState = Literal["open", "closed", "partly"]
KnockedOutCells = frozenset[tuple[int | None, int, int]]  # head (None: all), query, key


def causal(rows: Rows, cols: Cols) -> Open:
    return cols <= rows[:, None]


def prefix(rows: Rows, cols: Cols, length: int) -> Open:
    """Prefix LM (Raffel et al. 2020)."""
    return np.broadcast_to(cols < length, (len(rows), len(cols)))


def padding(rows: Rows, cols: Cols, query_length: int | None, key_length: int) -> Open:
    """Close padded queries and keys; without `query_length`, only keys."""
    real = np.ones(len(rows), bool) if query_length is None else rows < query_length
    return real[:, None] & (cols < key_length)


def outside_cells(rows: Rows, cols: Cols, blocked: Cells) -> Open:
    """Close the cells `blocked`, (i, j) sorted by i."""
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


def _sorted(cells: Iterator[tuple[int, int]]) -> Cells:
    numbers = np.fromiter(chain.from_iterable(cells), np.int64).reshape(-1, 2).T
    return numbers[:, np.argsort(numbers[0])]


def _as_slice(places: Rows) -> slice | Rows:
    if len(places) and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


@dataclass(frozen=True)
class Mask(PatternValues):
    """A cell is open if every mask opens it. The patterns count as one mask, which opens a cell if
    any pattern does.

    The prefix overrides causal and the patterns only. Axes of size 1 in `given` are broadcast.
    `within`: the model's own window. `knocked`: cells closed by head.
    """

    causal: bool = False
    prefix: int = 0
    blocked: frozenset[tuple[int, int]] = frozenset()
    given: ExplicitMask | None = field(default=None, compare=False)
    pads: Padding = "queries_and_keys"
    within: int | None = None
    knocked: KnockedOutCells = frozenset()

    @cached_property
    def asked(self) -> list[tuple[Pattern, Any]]:
        values = ((pattern, getattr(self, pattern.name)) for pattern in PATTERNS)
        return [
            (pattern, sorted(value) if isinstance(value, frozenset) else value)
            for pattern, value in values
            if value
        ]

    @cached_property
    def patterns(self) -> list[str]:
        return [pattern.name for pattern, _ in self.asked]

    @property
    def depends_on_distance(self) -> bool:
        """Whether j − i alone decides if a cell is open, padding aside."""
        listed = self.prefix or self.blocked or self.knocked or self.given is not None
        return not listed and all(pattern.by_distance for pattern, _ in self.asked)

    @property
    def sees_ahead(self) -> bool:
        return not self.causal or self.prefix > 0

    @property
    def differs_by_head(self) -> bool:
        return bool(self.knocked) or (self.given is not None and self.given.shape[1] > 1)

    def of_text(self, batch: int) -> Mask:
        if self.given is None or len(self.given) == 1:
            return self
        return replace(self, given=self.given[batch : batch + 1])

    def is_open_everywhere(self, rows: int, cols: int, lengths: list[tuple[int, int]]) -> bool:
        asked = self.causal or bool(self.patterns or self.blocked or self.within or self.knocked)
        asked = asked or (self.given is not None and not self.given.all())
        padded = [real != (rows, cols) if self.pads == "queries_and_keys" else real[1] != cols
                  for real in lengths]  # fmt: skip
        return not asked and not any(padded)

    def may_attend(
        self, rows: Rows, cols: Cols, lengths: tuple[int, int], batch: int = 0, head: int = 0
    ) -> Open:
        """Open cells. `lengths`: queries and keys without padding."""
        allowed = np.ones((len(rows), len(cols)), bool)
        if self.causal:
            allowed &= causal(rows, cols)
        if self.patterns:
            allowed &= self._patterned(rows, cols)
        if self.prefix:
            allowed |= prefix(rows, cols, self.prefix)
        if self.blocked and allowed.size:
            allowed &= outside_cells(rows, cols, self._blocked_cells)
        if self.knocked and allowed.size:
            allowed &= outside_cells(rows, cols, self._knocked_cells(head))
        if self.given is not None:
            allowed &= self._given(rows, cols, batch, head)
        if self.within is not None:
            allowed &= window(rows, cols, self.within)
        queries, keys = lengths[0] if self.pads == "queries_and_keys" else None, lengths[1]
        if (cols >= keys).any() or (queries is not None and (rows >= queries).any()):
            allowed &= padding(rows, cols, queries, keys)
        return allowed

    def block_state(
        self, rows: slice, cols: slice, lengths: tuple[int, int], batch: int = 0, head: int = 0
    ) -> BlockState:
        """State of a block; "partly" also where cheap tests cannot decide."""
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
            every = every and block.furthest < self.within
            some = some and block.nearest < self.within
        queries = lengths[0] if self.pads == "queries_and_keys" else rows.stop
        every = every and rows.stop <= queries and cols.stop <= lengths[1]
        some = some and rows.start < queries and cols.start < lengths[1]
        return "open" if every else "partly" if some else "closed"

    @cached_property
    def _blocked_cells(self) -> Cells:
        return _sorted(iter(self.blocked))

    @cached_property
    def _cells_by_head(self) -> dict[int | None, Cells]:
        """None: heads without cells of their own."""
        heads = {head for head, _, _ in self.knocked} | {None}
        return {
            head: _sorted((i, j) for own, i, j in self.knocked if own in (head, None))
            for head in heads
        }

    def _knocked_cells(self, head: int) -> Cells:
        found = self._cells_by_head
        return found.get(head, found[None])

    def _pattern_is(self, block: Block) -> tuple[bool, bool]:
        """Whether patterns surely open all cells, and whether they may open any."""
        states = [pattern.of_block(block, value) for pattern, value in self.asked]
        return any(every for every, _ in states), any(some for _, some in states)

    def _patterned(self, rows: Rows, cols: Cols) -> Open:
        opened = [pattern.opens(rows, cols, value) for pattern, value in self.asked]
        allowed: np.ndarray = np.logical_or.reduce(opened)
        return allowed

    def _given(
        self, rows: Rows, cols: Cols, batch: int, head: int
    ) -> Open | Bool[np.ndarray, "1 cols"]:
        """Open cells; a single row if all queries share it."""
        assert self.given is not None
        batches, heads, queries, _ = self.given.shape
        own = self.given[batch % batches, head % heads]
        span = slice(0, 1) if queries == 1 else _as_slice(rows)
        near = isinstance(span, slice)
        allowed: np.ndarray = own[span][:, _as_slice(cols)] if near else own[rows[:, None], cols]
        return allowed

    def _opened(self, row: int, col: int, batch: int, head: int) -> bool:
        return bool(self._given(np.array([row]), np.array([col]), batch, head)[0, 0])

    def closed_by(
        self, row: int, col: int, lengths: tuple[int, int], batch: int = 0, head: int = 0
    ) -> list[str]:
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
        if self.patterns and not (free or self._patterned(np.array([row]), np.array([col])).all()):
            closed += self.patterns
        return closed
