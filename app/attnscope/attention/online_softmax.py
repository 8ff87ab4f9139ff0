"""Online softmax of a strip (Milakov & Gimelshein 2018)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
from jaxtyping import Float

from attnscope.attention import memory
from attnscope.attention.flash_pass import KEYS, Block, Products, RowSums, blocks_of
from attnscope.attention.one_head import OneHead

GROUP = 16  # divides KEYS
# If all scores are within ± this bound, sums of a million exponentials need no peak.
STEADY = {"float32": 60.0, "float64": 500.0}
NEGLIGIBLE_SCORE = -1000.0  # a score whose exponential is 0


class OnlineSoftmax:
    """Sums over keys of e = exp(s − r), for each query of a strip and each block of keys.

    s: masked score of query i and key j. r: the largest score of the query so far, or 0 if no
    exponential can overflow (`steady`).
    """

    def __init__(self, one: OneHead, rows: slice) -> None:
        self._places = one.first + np.arange(rows.start, rows.stop)
        self._both_ways = one.mask.sees_ahead
        self.steady = one.reach(rows) < STEADY[one.q.dtype.name]
        blocks, count, dtype = -(-one.shape[1] // KEYS), rows.stop - rows.start, one.q.dtype
        self.references = memory.empty((blocks, count), dtype)
        self.references[:] = 0
        # For each group of keys: Σ e and Σ (j − first key of the group) e.
        self._groups = memory.empty((blocks, KEYS // GROUP, 2, count), dtype)
        self._spreads = memory.empty((blocks, count), dtype)  # Σ (s − r) e
        self._across: dict[int, np.ndarray] = {}  # Σ |i − j| e, if `both_sides`
        self._blocks: list[int] = []
        self._peak = np.full(count, -np.inf, dtype)
        self.shrink: np.ndarray | None = None  # factor on earlier sums
        self._exponentials = memory.empty((KEYS, count), dtype)
        self._in_groups = self._exponentials.reshape(-1, GROUP, count)
        self._powers = np.stack([np.ones(GROUP), np.arange(GROUP)]).astype(dtype)

    def take(
        self, block: Block, largest: Float[np.ndarray, "some query"] | None = None
    ) -> Float[np.ndarray, "key query"]:
        """Add a block and return its exp(s − r), which the next call overwrites.

        The block's cells become s − r. `largest`: maxima of groups of keys, if they are known;
        closed cells must then be −∞ already.
        """
        at, cells, count = len(self._blocks), block.cells, len(block.cells)
        self._blocks.append(block.cols.start // KEYS)
        if block.closed is not None and largest is None:
            np.copyto(cells, -np.inf, where=block.closed)
        if not self.steady:
            self._raise(at, (cells if largest is None else largest).max(axis=0))
            np.subtract(cells, self.references[at], out=cells)
        taken = self._exponentials
        if count < KEYS:
            taken[count:] = 0
            taken = taken[:count]
        np.exp(cells, taken)
        np.matmul(self._powers, self._in_groups, self._groups[at])
        return taken

    def add_open_blocks(
        self,
        products: Products,
        blocks: Sequence[slice],
        most: Float[np.ndarray, "block square query"],
        look: Callable[[slice, np.ndarray], object],
    ) -> None:
        """Add whole, open blocks of a `steady` strip for which `both_sides` is false.

        Works like `take` and `spread`, with fewer Python calls, which hold the GIL. `most` receives
        the maxima of groups of keys.
        """
        in_squares = products.cells.reshape(most.shape[1], -1, most.shape[2])
        first, exponentials = len(self._blocks), self._exponentials
        self._blocks += [cols.start // KEYS for cols in blocks]
        for at, cols in enumerate(blocks):
            cells = products.on(cols)
            look(cols, cells)
            np.maximum.reduce(in_squares, 1, None, most[at])
            np.exp(cells, exponentials)
            np.matmul(self._powers, self._in_groups, self._groups[first + at])
            np.einsum("kq,kq->q", cells, exponentials, out=self._spreads[first + at])

    def spread(self, block: Block, taken: Float[np.ndarray, "key query"]) -> None:
        """Add the last block to Σ (s − r) e and Σ |i − j| e. Overwrites the block's cells."""
        at, cells, cols = len(self._blocks) - 1, block.cells, block.cols
        if not self.steady:
            np.maximum(cells, NEGLIGIBLE_SCORE, out=cells)
        elif block.closed is not None:
            np.copyto(cells, 0, where=block.closed)
        np.einsum("kq,kq->q", cells, taken, out=self._spreads[at])
        if self.both_sides(cols):
            keys = np.arange(cols.start, cols.stop, dtype=taken.dtype)[:, None]
            apart = np.subtract(keys, self._places.astype(taken.dtype), out=cells)
            self._across[at] = np.einsum("kq,kq->q", taken, np.abs(apart, out=cells))

    def both_sides(self, cols: slice) -> bool:
        """Whether a block may have keys before and keys after the same query of the strip."""
        near = cols.stop > self._places[0] and cols.start < self._places[-1]
        return bool(self._both_ways and near)

    @property
    def groups(self) -> Float[np.ndarray, "block group query"]:
        return self._groups[: len(self._blocks), :, 0]

    @cached_property
    def _moments(self) -> Float[np.ndarray, "block 2 query"]:
        """Σ e and Σ (j − first key of the block) e, for each block."""
        first = np.arange(0, KEYS, GROUP)
        powers = np.array([[1, 0] * len(first), np.stack([first, first**0], axis=1).ravel()])
        blocks, groups, both, queries = self._groups.shape
        sums_by_group = self._groups.reshape(blocks, groups * both, queries)[: len(self._blocks)]
        moments: np.ndarray = np.matmul(powers.astype(sums_by_group.dtype), sums_by_group)
        return moments

    def sums(self) -> RowSums:
        reference = np.where(np.isneginf(self._peak), 0, self._peak)
        total = self._shrunk(reference) * self._moments[:, 0]
        return RowSums(reference, total.sum(axis=0, dtype=np.float64))

    def share(
        self, sums: RowSums
    ) -> Float[np.ndarray, "block query"] | Float[np.ndarray, "1 query"]:
        return np.atleast_2d(self._shrunk(sums.peak) / sums.divisor)

    def entropy_and_distance(
        self, sums: RowSums
    ) -> tuple[Float[np.ndarray, " query"], Float[np.ndarray, " query"]]:
        """−Σ w ln w and Σ w |i − j| of each query."""
        used, divisor, shrunk = len(self._blocks), sums.divisor, self._shrunk(sums.peak)
        total, moment = self._moments.astype(np.float64).transpose(1, 0, 2)
        spread = self._spreads[:used]
        if not self.steady:
            spread = spread + (self.references[:used] - sums.peak.astype(np.float64)) * total
        start = np.array(self._blocks, int)[:, None] * KEYS
        apart = np.abs((self._places - start) * total - moment)
        for at, across in self._across.items():
            apart[at] = across
        entropy = np.log(divisor) - (shrunk * spread).sum(axis=0, dtype=np.float64) / divisor
        return np.maximum(entropy, 0), (shrunk * apart).sum(axis=0) / divisor

    def _raise(self, at: int, peak: Float[np.ndarray, " query"]) -> None:
        before = self._peak
        self._peak = np.maximum(before, peak)
        np.copyto(self.references[at], self._peak, where=self._peak > -np.inf)
        self.shrink = np.where(before == self._peak, 1, np.exp(before - self._peak))

    def _shrunk(
        self, last: Float[np.ndarray, " query"]
    ) -> Float[np.ndarray, "block query"] | Literal[1]:
        if self.steady:
            return 1
        shrunk: np.ndarray = np.exp(self.references[: len(self._blocks)].astype(np.float64) - last)
        empty = self._moments[:, 0] == 0
        return np.where(empty, 0, shrunk)


def weigh(masked: Float[np.ndarray, "rows cols"], sums: RowSums) -> Float[np.ndarray, "rows cols"]:
    """Turn masked scores into weights, in place.

    Clips weights to 1: a product of another shape may round a score above the peak.
    """
    np.subtract(masked, sums.peak[:, None], out=masked)
    weights: np.ndarray = np.exp(masked, out=masked)
    np.divide(weights, sums.divisor.astype(weights.dtype)[:, None], out=weights)
    np.minimum(weights, 1, out=weights)
    return weights


def row_sums(one: OneHead, rows: slice) -> RowSums:
    """Bit-identical to the sums of a pass over the whole map."""
    softmax = OnlineSoftmax(one, rows)
    with np.errstate(over="ignore", invalid="ignore"):
        for block in blocks_of(one, rows):
            softmax.take(block)
        return softmax.sums()
