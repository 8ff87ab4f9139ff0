"""One pass over a map in blocks [key, query], so that reductions over keys are contiguous."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from attnscope.attention import memory
from attnscope.attention.masks import BlockState
from attnscope.attention.one_head import OneHead

QUERIES = 512  # sums fit in the cache
KEYS = 512  # two float32 blocks fit in the cache
NEAR_1 = 2.0**20  # scales from 1 / NEAR_1 to NEAR_1 multiply q, others the blocks


class RowSums(NamedTuple):
    """Peak and total of each row's softmax. A log-sum-exp would lose digits of large scores.

    `peak`: the largest score, or 0 if no exponential can overflow. `total`: Σ exp(masked score −
    peak). Both are 0 in a fully masked row.
    """

    peak: Float[np.ndarray, " rows"]
    total: Float[np.ndarray, " rows"]

    @property
    def divisor(self) -> Float[np.ndarray, " rows"]:
        return np.where(self.total == 0, 1, self.total)

    def cut(self, rows: slice) -> RowSums:
        return RowSums(self.peak[rows], self.total[rows])


class Block(NamedTuple):
    """`cells` of a range of keys, undefined where `closed`; None: all are open."""

    cols: slice
    cells: Float[np.ndarray, "key query"]
    closed: Bool[np.ndarray, "key query"] | None


class Products:
    """Blocks of one strip. BLAS rounds products of different shapes differently; blocks and strips
    are always whole, so that cells are bit-identical."""

    def __init__(self, one: OneHead, rows: slice, stage: str) -> None:
        self._one, self._rows = one, rows
        self._adds = stage != "scores" and one.scaling.adds
        factor = 1.0 if stage == "scores" else one.scaling.factor
        self._block_factor = None if 1 / NEAR_1 <= abs(factor) <= NEAR_1 else factor
        query_factor = 1.0 if self._block_factor is not None else factor
        self._queries = np.multiply(one.q[rows].T, one.q.dtype.type(query_factor), order="C")
        self.cells = memory.empty((KEYS, self._queries.shape[1]), one.q.dtype)

    def on(self, cols: slice) -> Float[np.ndarray, "key query"]:
        """Compute a block, which overwrites the previous one."""
        count = cols.stop - cols.start
        cells = self.cells if count == KEYS else self.cells[:count]
        np.matmul(self._one.k[cols], self._queries, out=cells)
        if self._block_factor is not None:
            np.multiply(cells, self._block_factor, out=cells)
        if self._adds:
            row = self._one.first + self._rows.start
            self._one.scaling.positioned(cells.T, self._one.head, row, cols.start)
        return cells

    def block(self, cols: slice, state: BlockState) -> Block:
        cells, closed = self.on(cols), None
        if state == "partly":
            closed = self._one.closed_cells(self._rows, cols)
        return Block(cols, cells, closed)


def blocks_of(one: OneHead, rows: slice, stage: str = "masked_scores") -> Iterator[Block]:
    """Blocks with open cells. Each block overwrites the previous one."""
    products = Products(one, rows, stage)
    for cols, state in open_blocks(one, rows, stage):
        yield products.block(cols, state)


def open_blocks(
    one: OneHead, rows: slice, stage: str = "masked_scores"
) -> Iterator[tuple[slice, BlockState]]:
    blocks = list(_blocks(slice(0, one.shape[1]), one.shape[1]))
    for cols, state in zip(blocks, _states(one, rows, stage, blocks), strict=True):
        if state != "closed":
            yield cols, state


def _states(one: OneHead, rows: slice, stage: str, blocks: Sequence[slice]) -> list[BlockState]:
    """Test blocks by bisection, as testing a block costs as much as computing it."""
    whole = slice(blocks[0].start, blocks[-1].stop)
    state = one.block_state(rows, whole) if stage == "masked_scores" else "open"
    if state != "partly" or len(blocks) == 1:
        return [state] * len(blocks)
    half = len(blocks) // 2
    return [
        state
        for part in (blocks[:half], blocks[half:])
        for state in _states(one, rows, stage, part)
    ]


def compute_cells(
    one: OneHead, stage: str, rows: slice, cols: slice
) -> Float[np.ndarray, "rows cols"]:
    """Cells of any rows and columns, bit-identical to those of a pass."""
    cells = np.full((rows.stop - rows.start, cols.stop - cols.start), -np.inf, one.q.dtype)
    for strip in strips_of(rows):
        whole = slice(strip.start, min(strip.stop, one.shape[0]))
        products, here = Products(one, whole, stage), _both(strip, rows)
        for block in _blocks(cols, one.shape[1]):
            there = _both(block, cols)
            state = one.block_state(here, there) if stage == "masked_scores" else "open"
            if state != "closed":
                found = products.on(block).T[_from(whole, here), _from(block, there)]
                opened = True if state == "open" else one.open_cells(here, there)
                np.copyto(cells[_from(rows, here), _from(cols, there)], found, where=opened)
    return cells


def _blocks(cols: slice, keys: int) -> Iterator[slice]:
    for start in range(cols.start // KEYS * KEYS, cols.stop, KEYS):
        yield slice(start, min(start + KEYS, keys))


def _both(one: slice, other: slice) -> slice:
    return slice(max(one.start, other.start), min(one.stop, other.stop))


def _from(whole: slice, part: slice) -> slice:
    return slice(part.start - whole.start, part.stop - whole.start)


def strips_of(rows: slice) -> Iterator[slice]:
    for start in range(rows.start // QUERIES * QUERIES, rows.stop, QUERIES):
        yield slice(start, start + QUERIES)
