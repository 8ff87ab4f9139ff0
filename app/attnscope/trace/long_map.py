"""Maps of long texts: fine squares are computed from blocks, coarse ones in one pass."""

from __future__ import annotations

import math

import numpy as np

from attnscope.attention.layer_context import LayerContext
from attnscope.attention.level import Level
from attnscope.attention.overview import Overview, Rows, Tick, overview
from attnscope.trace.long_text import HeadBlocks
from attnscope.trace.passes import Passes
from attnscope.trace.stage_map import Extent, Squares, StageMap

COARSE = 2048  # side of the largest square picture


def coarse_side(n: int, m: int, coarse: int) -> int:
    side = 1
    while math.ceil(n / side) * math.ceil(m / side) > coarse**2:
        side *= 2
    return side


class LongMap(StageMap):
    def __init__(
        self, blocks: HeadBlocks, setting: LayerContext, passes: Passes, name: str,
        tick: Tick | None = None, *, coarse: int = COARSE,
    ) -> None:  # fmt: skip
        """`name` identifies the pass."""
        super().__init__(blocks, setting, blocks.stage, blocks.batch, blocks.head)  # type: ignore[arg-type]
        self.factored, self._passes, self._tick = blocks.factored, passes, tick
        self._name = name
        self._side = coarse_side(*self.shape, coarse)
        self._overview: Overview | None = None

    @property
    def overview(self) -> Overview:
        """Not a cached_property, whose lock all maps would share in Python 3.11."""
        if self._overview is None:
            self._overview = self._passes.overview(self._name, self._made, self._tick)
        return self._overview

    def extent(self) -> Extent:
        level, rows = self.overview.level, self.overview.rows
        # Squares with overflowed numbers have no maximum; their rows have.
        overflowed = bool(np.isnan(level.most).any())
        largest = rows.largest if rows is not None and overflowed else level.most
        least, most = (each[np.isfinite(each)] for each in (level.least, largest))
        low, high = float(least.min(initial=np.inf)), float(most.max(initial=-np.inf))
        return Extent(low + 0.0, high + 0.0) if low <= high else Extent(0.0, 0.0)

    def level(self, squares: Squares) -> Level:
        if min(squares.sides) < self._side:
            self._recall_sums()
            return super().level(squares)
        rows, cols = (
            slice(span.start // self._side, -(-span.stop // self._side))
            for span in (squares.rows, squares.cols)
        )
        cut = Level(*(array[rows, cols] for array in self.overview.level))
        height, width = (side // self._side for side in squares.sides)
        return cut if height == width == 1 else cut.coarser(height, width)

    def rows(self) -> Rows:
        """Statistics of rows, without padding."""
        queries, _ = self.setting.lengths[self.batch]
        rows = self.overview.rows
        assert rows is not None
        real = rows._replace(
            sums=rows.sums.cut(slice(0, queries)),
            **{name: one[:queries] for name, one in rows._asdict().items() if name != "sums"},
        )
        self._recall_sums()
        return real

    def _recall_sums(self) -> None:
        found = self._passes.known(self._name)
        if found is not None and found.rows is not None:
            self.factored.remember(self.batch, self.head, found.rows.sums)

    def _made(self, tick: Tick) -> Overview:
        return overview(
            self.factored, self.stage, self.batch, self.head, self._side, tick,
            self._passes.executor,
        )  # fmt: skip
