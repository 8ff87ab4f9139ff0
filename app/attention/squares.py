"""The squares of a zoom level, summed up from a strip of a map that passes by block by block."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Integer

from app.attention import memory
from app.attention.level import Level
from app.attention.stream import KEYS, Block, RowSums


class Squares:
    """Of the rows of a strip, by groups of `side` keys: sums and extremes, query by query, and how
    many cells are open, by groups of queries too. Blocks that are never looked at are closed."""

    def __init__(self, queries: int, keys: int, side: int, dtype: np.dtype) -> None:
        self.side, self._queries, self._keys = side, queries, keys
        sizes = (-(-keys // KEYS), KEYS // side, queries)
        # A place for each block, in the order in which they come.
        self._total, self._most, self._least = (memory.empty(sizes, dtype) for _ in range(3))
        self._blocks: list[int] = []
        self._starts = np.arange(0, queries, side)
        self._widths = np.diff(np.append(self._starts, queries))
        self._heights = np.full((sizes[1], 1), side)
        self._open = np.zeros((*sizes[:2], len(self._starts)), np.int32)

    def look(self, block: Block) -> Float[np.ndarray, "group query"]:
        """Takes the extremes of a block, before anything is done to its cells; the largest of each
        group of keys."""
        place, cells = len(self._blocks), block.cells
        self._blocks.append(block.cols.start // KEYS)
        if len(cells) < KEYS:  # of the last block there may be less
            for a, nothing in ((self._total, 0), (self._most, -np.inf), (self._least, np.inf)):
                a[place] = nothing
        most = self._over(np.maximum, cells, self._most[place])
        starts = np.arange(0, len(cells), self.side)
        if block.closed is None:
            self._over(np.minimum, cells, self._least[place])
            last = len(cells) - starts[-1]
            self._open[place, : len(starts)] = self._heights[: len(starts)] * self._widths
            self._open[place, len(starts) - 1] = last * self._widths
        else:
            self._over(np.minimum, np.where(block.closed, np.inf, cells), self._least[place])
            across = np.add.reduceat(~block.closed, self._starts, axis=1, dtype=np.int32)
            self._open[place, : len(starts)] = np.add.reduceat(across, starts)
        return most

    def add(self, cells: Float[np.ndarray, "key query"]) -> None:
        """Sums up the cells of the block that was looked at last, or what became of them; closed
        ones are 0."""
        self._over(np.add, cells, self._total[len(self._blocks) - 1])

    def largest(self) -> tuple[Float[np.ndarray, " query"], Integer[np.ndarray, " query"]]:
        """Of each query the largest cell, and the first key of the group that has it (0 where no
        block was looked at)."""
        if not self._blocks:
            return np.full(self._queries, -np.inf), np.zeros(self._queries, np.int64)
        queries = np.arange(self._queries)
        of_blocks = self._most[: len(self._blocks)].max(axis=1)
        place = of_blocks.argmax(axis=0)
        group = self._most[place, :, queries].argmax(axis=1)
        start = np.array(self._blocks)[place] * KEYS + group * self.side
        return of_blocks[place, queries], start

    def level(self) -> Level:
        """Of what was looked at and added."""
        return Level(
            self._spread(self._across(np.add, self._total), 0.0),
            self._spread(self._across(np.maximum, self._most), -np.inf),
            self._spread(self._across(np.minimum, self._least), np.inf),
            self._spread(self._open[: len(self._blocks)], 0.0),
        )

    def weights(self, references: Float[np.ndarray, "block query"], sums: RowSums) -> Level:
        """Of the weights, where exponentials were added of the scores that were looked at, less the
        references of their block."""
        dtype = self._total.dtype
        shares = (np.exp(references[self._blocks] - sums.peak) / sums.divisor).astype(dtype)
        lower = [some for some in (sums.peak, np.log(sums.divisor).astype(dtype)) if some.any()]
        for place, share in enumerate(shares):  # one by one: they stay in the cache
            np.multiply(self._total[place], share, out=self._total[place])
            for extremes in (self._most[place], self._least[place]):
                for off in lower:
                    np.subtract(extremes, off, out=extremes)
        level = self.level()
        most, least = np.exp(level.most), np.exp(level.least)
        np.copyto(most, -np.inf, where=level.cells == 0)
        return level._replace(most=most, least=least)

    def _over(self, reduce: np.ufunc, cells: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Of each group of keys, into the first places of `out`."""
        side, out = self.side, out[: -(-len(cells) // self.side)]
        if side == 1:
            np.copyto(out, cells)
        elif len(cells) % side:
            reduce.reduceat(cells, np.arange(0, len(cells), side), axis=0, out=out)
        else:
            reduce.reduce(cells.reshape(-1, side, self._queries), axis=1, out=out)
        return out

    def _across(self, reduce: np.ufunc, a: np.ndarray) -> np.ndarray:
        """Of each group of queries; two and two, where groups are whole: an eighth of the time of
        reduceat."""
        a = a[: len(self._blocks)]
        if self._queries % self.side:
            return reduce.reduceat(a, self._starts, axis=2)
        side = self.side
        while side > 1:
            a, side = reduce(a[..., ::2], a[..., 1::2]), side // 2
        return a

    def _spread(self, a: np.ndarray, nothing: float) -> np.ndarray:
        """What is known of some blocks as rows of the level: groups of queries × groups of keys."""
        whole = np.full((-(-self._keys // KEYS), *a.shape[1:]), nothing, a.dtype)
        whole[self._blocks] = a
        groups = -(-self._keys // self.side)
        return np.ascontiguousarray(whole.reshape(-1, a.shape[2])[:groups].T)
