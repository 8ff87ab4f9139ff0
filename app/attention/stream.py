"""One pass over the map of one head, that is never in memory: a strip of QUERIES rows at a time,
and of these KEYS columns.

A block lies transposed, keys down and queries across, so that what is taken over keys is taken of
whole rows of memory at once. The softmax runs along: what was summed up is shrunk whenever a larger
score turns up (Milakov & Gimelshein 2018, "Online normalizer calculation for softmax"; Dao et al.
2022, "FlashAttention"). Every strip is summed up in the same order, whoever does it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from app.attention.one_head import OneHead

QUERIES = 512  # more: the strip's own sums leave the cache; fewer: more calls than arithmetic
KEYS = 256  # a block of float32 takes 512 KB: two of them fit a core's own cache
STEADY = {"float32": 60.0, "float64": 500.0}  # of a million scores the exponentials still add up


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
    """Scores of a strip, that may be written into, and which cells are closed: None is none."""

    cols: slice
    cells: Float[np.ndarray, "key query"]
    closed: Bool[np.ndarray, "key query"] | None


def blocks_of(one: OneHead, rows: slice, stage: str = "masked_scores") -> Iterator[Block]:
    """The blocks of a strip, from the first key on, but those in which every cell is closed; each
    overwrites the one before it. What closed cells hold is no matter."""
    factor = 1.0 if stage == "scores" else one.scaling.factor
    queries = np.ascontiguousarray((one.q[rows] * one.q.dtype.type(factor)).T)
    cells, keys = np.empty((KEYS, queries.shape[1]), one.q.dtype), one.shape[1]
    positioned = stage != "scores" and one.scaling.adds
    for start in range(0, keys, KEYS):
        cols = slice(start, min(start + KEYS, keys))
        state = one.block_is(rows, cols) if stage == "masked_scores" else "open"
        if state == "closed":
            continue
        block = np.matmul(one.k[cols], queries, out=cells[: cols.stop - start])
        if positioned:
            one.scaling.positioned(block.T, one.head, one.first + rows.start, start)
        closed = None
        if state == "partly":
            closed = np.ascontiguousarray(~one.open_cells(rows, cols).T)
        yield Block(cols, block, closed)


class Running:
    """The softmax of a strip, block by block: Σ e^(s − r) over the keys of each block, where r, the
    `references` of the block, is the largest score so far; or 0 all along, where no score can be so
    large that its exponential leaves the range of the type."""

    def __init__(self, one: OneHead, rows: slice) -> None:
        self._places = one.first + np.arange(rows.start, rows.stop)
        self._steady = one.reach(rows) < STEADY[one.q.dtype.name]
        blocks, count, dtype = -(-one.shape[1] // KEYS), rows.stop - rows.start, one.q.dtype
        self.references = np.zeros((blocks, count), dtype)
        self._moments = np.zeros((blocks, 2, count), dtype)  # Σ e, Σ (j − first key of the block) e
        self._spreads = np.zeros((blocks, count), dtype)  # Σ (s − r) e
        self._across: dict[int, np.ndarray] = {}  # Σ |i − j| e of blocks that meet the diagonal
        self._taken: list[int] = []
        self._peak = np.full(count, -np.inf, dtype)
        self.shrink: np.ndarray | None = None  # what the block taken last makes of all before
        self._exponentials = np.empty((KEYS, count), dtype)
        self._powers = np.stack([np.ones(KEYS), np.arange(KEYS)]).astype(dtype)

    def take(
        self, block: Block, largest: Float[np.ndarray, "some query"] | None = None
    ) -> Float[np.ndarray, "key query"]:
        """e^(s − r) of a block, in memory that the next one overwrites; its cells become s − r.
        `largest` may have the largest cells of some groups that are all of it, and then closed
        cells are −∞ already."""
        at, cells, count = block.cols.start // KEYS, block.cells, len(block.cells)
        self._taken.append(at)
        if block.closed is not None and largest is None:
            np.copyto(cells, -np.inf, where=block.closed)
        if not self._steady:
            self._raise(at, (cells if largest is None else largest).max(axis=0))
            np.subtract(cells, self.references[at], out=cells)
        taken: np.ndarray = np.exp(cells, out=self._exponentials[:count])
        np.matmul(self._powers[:, :count], taken, out=self._moments[at])
        return taken

    def spread(self, block: Block, taken: Float[np.ndarray, "key query"]) -> None:
        """Adds up of a block what entropy and distance are made of; overwrites its cells."""
        at, cells, cols = block.cols.start // KEYS, block.cells, block.cols
        if block.closed is not None:
            np.copyto(cells, 0, where=block.closed)  # 0 · −∞ is no number
        np.multiply(cells, taken, out=cells)
        np.matmul(self._powers[0, : len(cells)], cells, out=self._spreads[at])
        if cols.stop > self._places[0] and cols.start < self._places[-1]:
            keys = np.arange(cols.start, cols.stop, dtype=taken.dtype)[:, None]
            apart = np.subtract(keys, self._places.astype(taken.dtype), out=cells)
            self._across[at] = np.einsum("kq,kq->q", taken, np.abs(apart, out=cells))

    def sums(self) -> RowSums:
        """Of the blocks that were taken."""
        reference = np.where(np.isneginf(self._peak), 0, self._peak)
        total = self._shrunk(reference) * self._moments[self._taken, 0]
        return RowSums(reference, total.sum(axis=0, dtype=np.float64))

    def share(
        self, sums: RowSums
    ) -> Float[np.ndarray, "block query"] | Float[np.ndarray, "1 query"]:
        """What the exponentials of each block that was taken are multiplied by to be weights."""
        return np.atleast_2d(self._shrunk(sums.peak) / sums.divisor)

    def entropy_and_distance(
        self, sums: RowSums
    ) -> tuple[Float[np.ndarray, " query"], Float[np.ndarray, " query"]]:
        """−Σ w ln w, and Σ w |i − j|."""
        taken, divisor, shrunk = self._taken, sums.divisor, self._shrunk(sums.peak)
        total, moment = self._moments[taken].astype(np.float64).transpose(1, 0, 2)
        spread: np.ndarray = self._spreads[taken]
        if not self._steady:
            spread = spread + (self.references[taken] - sums.peak.astype(np.float64)) * total
        start = np.array(taken, int)[:, None] * KEYS
        apart = np.abs((self._places - start) * total - moment)  # one sign in all of a block
        for place, at in enumerate(taken):
            if at in self._across:
                apart[place] = self._across[at]
        entropy = np.log(divisor) - (shrunk * spread).sum(axis=0, dtype=np.float64) / divisor
        return entropy, (shrunk * apart).sum(axis=0) / divisor

    def _raise(self, at: int, peak: Float[np.ndarray, " query"]) -> None:
        before = self._peak
        self._peak = np.maximum(before, peak)
        np.copyto(self.references[at], self._peak, where=self._peak > -np.inf)
        self.shrink = np.where(before == self._peak, 1, np.exp(before - self._peak))

    def _shrunk(
        self, last: Float[np.ndarray, " query"]
    ) -> Float[np.ndarray, "block query"] | Literal[1]:
        """What the sums of each block are multiplied by, when the `last` reference is known."""
        if self._steady:
            return 1
        shrunk: np.ndarray = np.exp(self.references[self._taken].astype(np.float64) - last)
        empty = self._moments[self._taken, 0] == 0
        return np.where(empty, 0, shrunk)  # nothing is there, however large


def weigh(masked: Float[np.ndarray, "rows cols"], sums: RowSums) -> Float[np.ndarray, "rows cols"]:
    """The weights of a block, in place of its masked scores."""
    np.subtract(masked, sums.peak[:, None], out=masked)
    weights: np.ndarray = np.exp(masked, out=masked)
    np.divide(weights, sums.divisor.astype(weights.dtype)[:, None], out=weights)
    return weights


def row_sums(one: OneHead, rows: slice) -> RowSums:
    """The sums of some rows alone: those of a strip are the same bits that its overview has."""
    running = Running(one, rows)
    with np.errstate(over="ignore", invalid="ignore"):  # a setting of each thread
        for block in blocks_of(one, rows):
            running.take(block)
        return running.sums()


def strips_of(rows: slice) -> Iterator[slice]:
    """The strips that some rows lie in, whole."""
    for start in range(rows.start // QUERIES * QUERIES, rows.stop, QUERIES):
        yield slice(start, start + QUERIES)
