"""Squares of a zoom level, reduced from blocks of a strip."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from attnscope.attention import memory
from attnscope.attention.flash_pass import KEYS, Block, RowSums
from attnscope.attention.level import Level

AT_ONCE = 16

IDENTITIES: dict[np.ufunc, float] = {np.add: 0.0, np.maximum: -np.inf, np.minimum: np.inf}
REDUCTIONS = tuple(IDENTITIES)


class Squares:
    """Sum, extremes and number of open cells, for each query and each group of `side` keys.

    Blocks that were not added count as closed.
    """

    def __init__(
        self,
        queries: int,
        keys: int,
        side: int,
        dtype: np.dtype,
        reductions: Sequence[np.ufunc] = REDUCTIONS,
    ) -> None:
        self.side, self._queries, self._keys = side, queries, keys
        self._shape = (KEYS // side, side, queries)
        self._ones = np.ones((1, side), dtype)
        sizes = (-(-keys // KEYS), KEYS // side, queries)
        self._reduced = {reduce: memory.empty(sizes, dtype) for reduce in reductions}
        self._blocks: list[int] = []
        self._starts = np.arange(0, queries, side)
        widths = np.diff(np.append(self._starts, queries)).astype(np.int32)
        self._open = np.broadcast_to(side * widths, (*sizes[:2], len(widths))).copy()

    def look(self, block: Block) -> Float[np.ndarray, "group query"]:
        """Add a block, without its sums; return the maxima of groups. Closed cells become −∞."""
        place, cells, closed = len(self._blocks), block.cells, block.closed
        self._blocks.append(block.cols.start // KEYS)
        if closed is not None or len(cells) < KEYS:
            self._count(place, block)
        if np.minimum in self._reduced:
            if closed is not None:
                np.copyto(cells, np.inf, where=closed)
            self._over(np.minimum, cells, place)
        if closed is not None:
            np.copyto(cells, -np.inf, where=closed)
        return self._over(np.maximum, cells, place)

    def reserve_maxima(self, blocks: Sequence[slice]) -> Float[np.ndarray, "block group query"]:
        """Add open blocks; return the array into which the caller writes the maxima of groups."""
        first = len(self._blocks)
        self._blocks += [cols.start // KEYS for cols in blocks]
        return self._reduced[np.maximum][first : len(self._blocks)]

    def add(self, cells: Float[np.ndarray, "key query"]) -> None:
        """Add the sums of the last block, whose closed cells must be 0."""
        self._over(np.add, cells, len(self._blocks) - 1)

    def add_groups(self, groups: Float[np.ndarray, "block group query"]) -> None:
        squares = KEYS // self.side
        together = groups.shape[1] // squares
        apart = groups.reshape(len(groups), squares, together, self._queries)
        self._reduced[np.add] = apart[:, :, 0] if together == 1 else apart.sum(axis=2)

    def largest(self) -> Float[np.ndarray, " query"]:
        blocks = self._reduced[np.maximum][: len(self._blocks)]
        most: np.ndarray = blocks.max(axis=(0, 1), initial=-np.inf)
        return most

    def level(self) -> Level:
        return self._level(lambda reduce, some: self._across(reduce, self._reduced[reduce][some]))

    def weights(self, share: Float[np.ndarray, "block query"], sums: RowSums) -> Level:
        """Zoom level of the weights, which are the exponentials × `share`.

        `least` is only a lower bound: 0 if a cell is open.
        """
        total, largest, peak = self._reduced[np.add], self._reduced[np.maximum], sums.peak
        dtype = largest.dtype
        share = np.broadcast_to(share.astype(dtype), (len(self._blocks), self._queries))
        lower = np.log(sums.divisor).astype(dtype)
        lifted = bool(peak.any())

        def weighed(reduce: np.ufunc, some: slice) -> np.ndarray:
            if reduce is np.add:
                return self._added(total[some], share[some])
            # Subtract the peak first: this is exact for scores of similar size.
            a: np.ndarray = (largest[some] - peak if lifted else largest[some]) - lower
            return self._across(reduce, a)

        level = self._level(weighed)
        closed = level.cells == 0
        most = np.where(closed, -np.inf, np.minimum(np.exp(level.most), 1))
        most = most.astype(dtype, copy=False)
        return level._replace(most=most, least=np.where(closed, dtype.type(np.inf), dtype.type(0)))

    def _over(self, reduce: np.ufunc, cells: np.ndarray, place: int) -> np.ndarray:
        count, side = len(cells), self.side
        out: np.ndarray = self._reduced[reduce][place]
        if count == KEYS:
            if reduce is np.add and side > 1:
                np.matmul(self._ones, cells.reshape(self._shape), out=out[:, None])
            else:
                reduce.reduce(cells.reshape(self._shape), 1, None, out)
            return out
        out = out[: -(-count // side)]
        reduce.reduceat(cells, np.arange(0, count, side), axis=0, out=out)
        return out

    def _count(self, place: int, block: Block) -> None:
        if len(block.cells) < KEYS:
            self._open[place] = 0
            for reduce, array in self._reduced.items():
                array[place] = IDENTITIES[reduce]
        closed = np.zeros_like(block.cells, bool) if block.closed is None else block.closed
        opened, starts = (~closed).view(np.uint8), np.arange(0, len(closed), self.side)
        narrow = np.uint8 if self.side < 256 else np.uint16  # small types vectorise best
        if len(opened) == KEYS:
            down = np.add.reduce(opened.reshape(self._shape), axis=1, dtype=narrow)
        else:
            down = np.add.reduceat(opened, starts, axis=0, dtype=narrow)
        across = np.add.reduceat(down, self._starts, axis=1, dtype=np.int32)
        self._open[place, : len(starts)] = across

    def _level(self, groups: Callable[[np.ufunc, slice], np.ndarray]) -> Level:
        used = len(self._blocks)
        sizes = (len(self._starts), -(-self._keys // KEYS), KEYS // self.side)
        dtype = self._reduced[np.maximum].dtype
        arrays = {reduce: np.full(sizes, a, dtype) for reduce, a in IDENTITIES.items()}
        for start in range(0, used, AT_ONCE):
            some = slice(start, min(start + AT_ONCE, used))
            blocks = self._blocks[some]
            for reduce in self._reduced:
                arrays[reduce][:, blocks] = groups(reduce, some).transpose(2, 0, 1)
        cells = np.zeros(sizes, np.int32)
        cells[:, self._blocks] = self._open[:used].transpose(2, 0, 1)
        keys = -(-self._keys // self.side)
        return Level(*(a.reshape(sizes[0], -1)[:, :keys] for a in (*arrays.values(), cells)))

    def _added(self, a: np.ndarray, share: Float[np.ndarray, "block query"]) -> np.ndarray:
        if self._queries % self.side:
            return self._across(np.add, a * share[:, None])
        apart, shares = (each.reshape(*each.shape[:-1], -1, self.side) for each in (a, share))
        return np.asarray(np.einsum("bgqs,bqs->bgq", apart, shares))

    def _across(self, reduce: np.ufunc, a: np.ndarray) -> np.ndarray:
        side = self.side
        if self._queries % side:
            return np.asarray(reduce.reduceat(a, self._starts, axis=2))
        while side > 1:
            a, side = reduce(a[..., ::2], a[..., 1::2]), side // 2
        return a
