"""One pass over the map of one head, that is never in memory: a strip of QUERIES rows at a time,
and of these KEYS columns.

A block lies transposed, keys down and queries across, so that what is taken over keys is taken of
whole rows of memory at once. Every strip is gone through in the same order, whoever does it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from app.attention import memory
from app.attention.masks import Whole
from app.attention.one_head import OneHead

QUERIES = 512  # more: the strip's own sums leave the cache; fewer: more calls than arithmetic
KEYS = 512  # a block of float32 takes 1 MB: two of them fit a core's own cache
NEAR_1 = 2.0**20  # a factor up to so far from 1 takes no query out of the range of its type


class RowSums(NamedTuple):
    """Of each row a score about as large as its largest, and Σ exp(masked score − that one): 0 and
    0 where a row sees nothing. The two say more than the log-sum-exp, which loses digits where
    scores are large."""

    peak: Float[np.ndarray, " rows"]
    total: Float[np.ndarray, " rows"]

    @property
    def lse(self) -> Float[np.ndarray, " rows"]:
        """The log-sum-exp; −∞ where a row sees nothing."""
        with np.errstate(divide="ignore"):
            lse: np.ndarray = self.peak + np.log(self.total)
        return lse

    @property
    def divisor(self) -> Float[np.ndarray, " rows"]:
        """What exponentials are divided by: the total, and 1 where there is nothing to divide."""
        return np.where(self.total == 0, 1, self.total)

    def cut(self, rows: slice) -> RowSums:
        return RowSums(self.peak[rows], self.total[rows])


class Block(NamedTuple):
    """Scores of a strip, that may be written into, and which cells are closed, which may not: None
    is none. What closed cells hold is no matter."""

    cols: slice
    cells: Float[np.ndarray, "key query"]
    closed: Bool[np.ndarray, "key query"] | None


class Products:
    """The scaled scores of a strip, a block of KEYS keys at a time. BLAS rounds the last bits of a
    product by its shape: whoever wants the same bits takes whole blocks of whole strips."""

    def __init__(self, one: OneHead, rows: slice, stage: str) -> None:
        self._one, self._rows = one, rows
        self._adds = stage != "scores" and one.scaling.adds
        factor = 1.0 if stage == "scores" else one.scaling.factor
        # The queries are scaled once, and not every block of their scores, where they bear it.
        self._late = None if 1 / NEAR_1 <= abs(factor) <= NEAR_1 else factor
        early = 1.0 if self._late is not None else factor
        self._queries = np.multiply(one.q[rows].T, one.q.dtype.type(early), order="C")
        self.cells = memory.empty((KEYS, self._queries.shape[1]), one.q.dtype)

    def on(self, cols: slice) -> Float[np.ndarray, "key query"]:
        """q kᵀ, of scaled queries where it is asked for; overwrites the block before it."""
        count = cols.stop - cols.start
        cells = self.cells if count == KEYS else self.cells[:count]
        np.matmul(self._one.k[cols], self._queries, out=cells)
        if self._late is not None:
            np.multiply(cells, self._late, out=cells)
        if self._adds:
            row = self._one.first + self._rows.start
            self._one.scaling.positioned(cells.T, self._one.head, row, cols.start)
        return cells

    def block(self, cols: slice, state: Whole) -> Block:
        """The same with its closed cells, of which there are none where the state is "open"."""
        cells, closed = self.on(cols), None
        if state == "partly":
            closed = self._one.closed_cells(self._rows, cols)
        return Block(cols, cells, closed)


def blocks_of(one: OneHead, rows: slice, stage: str = "masked_scores") -> Iterator[Block]:
    """The blocks of a strip, from the first key on, but those in which every cell is closed; each
    overwrites the one before it."""
    products = Products(one, rows, stage)
    for cols, state in kinds_of(one, rows, stage):
        yield products.block(cols, state)


def kinds_of(
    one: OneHead, rows: slice, stage: str = "masked_scores"
) -> Iterator[tuple[slice, Whole]]:
    """The keys of each of these blocks, and whether it is open all over."""
    blocks = list(_blocks(slice(0, one.shape[1]), one.shape[1]))
    for cols, state in zip(blocks, _states(one, rows, stage, blocks), strict=True):
        if state != "closed":
            yield cols, state


def _states(one: OneHead, rows: slice, stage: str, blocks: Sequence[slice]) -> list[Whole]:
    """Whether all cells of each of some blocks, one behind the other, are open or closed. All of
    them are asked about together first: one question takes as long as a step of a block."""
    whole = slice(blocks[0].start, blocks[-1].stop)
    state = one.block_is(rows, whole) if stage == "masked_scores" else "open"
    if state != "partly" or len(blocks) == 1:
        return [state] * len(blocks)
    half = len(blocks) // 2
    return [
        state
        for part in (blocks[:half], blocks[half:])
        for state in _states(one, rows, stage, part)
    ]


def cut_of(one: OneHead, stage: str, rows: slice, cols: slice) -> Float[np.ndarray, "rows cols"]:
    """Scores of any rows and columns, cut out of the blocks of a pass: the same bits, for where
    scores are large the last bits of two are all that their weights differ by. Closed cells are −∞
    among masked scores."""
    cells = np.full((rows.stop - rows.start, cols.stop - cols.start), -np.inf, one.q.dtype)
    for strip in strips_of(rows):
        whole = slice(strip.start, min(strip.stop, one.shape[0]))
        products, here = Products(one, whole, stage), _both(strip, rows)
        for block in _blocks(cols, one.shape[1]):
            there = _both(block, cols)
            state = one.block_is(here, there) if stage == "masked_scores" else "open"
            if state != "closed":
                found = products.on(block).T[_from(whole, here), _from(block, there)]
                opened = True if state == "open" else one.open_cells(here, there)
                np.copyto(cells[_from(rows, here), _from(cols, there)], found, where=opened)
    return cells


def _blocks(cols: slice, keys: int) -> Iterator[slice]:
    """The keys of the blocks that some columns lie in."""
    for start in range(cols.start // KEYS * KEYS, cols.stop, KEYS):
        yield slice(start, min(start + KEYS, keys))


def _both(one: slice, other: slice) -> slice:
    return slice(max(one.start, other.start), min(one.stop, other.stop))


def _from(whole: slice, part: slice) -> slice:
    """Where a part of a slice stands in it."""
    return slice(part.start - whole.start, part.stop - whole.start)


def strips_of(rows: slice) -> Iterator[slice]:
    """The strips that some rows lie in, whole."""
    for start in range(rows.start // QUERIES * QUERIES, rows.stop, QUERIES):
        yield slice(start, start + QUERIES)
