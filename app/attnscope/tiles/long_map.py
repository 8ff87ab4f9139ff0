"""Maps of long texts: fine squares from blocks, coarse ones from one pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import Executor

import numpy as np

from attnscope import __version__
from attnscope.analysis.factored_heads import factored_metrics
from attnscope.analysis.heads import HeadMetrics
from attnscope.attention.level import Level
from attnscope.attention.overview import Overview, Tick, overview
from attnscope.tiles.map_passes import Passes
from attnscope.tiles.picture import Extent
from attnscope.tiles.pyramid import Squares
from attnscope.tiles.stage_map import At, StageMap
from attnscope.trace.long_text import LongStages
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace

COARSE = 2048  # squares per side


def coarse_side(n: int, m: int) -> int:
    """Smallest power of two for at most COARSE² squares."""
    side = 1
    while math.ceil(n / side) * math.ceil(m / side) > COARSE**2:
        side *= 2
    return side


def pass_name(planned: Plan, at: At) -> str:
    return f"{__version__} {planned.id} {at}"


class LongMap(StageMap):
    """tick(done, of) reports progress."""

    def __init__(
        self, trace: Trace, at: At, passes: Passes, tick: Tick | None = None,
        executor: Executor | None = None,
    ) -> None:  # fmt: skip
        super().__init__(trace, at)
        self._executor = executor
        stages = trace.layers[at.layer]
        assert isinstance(stages, LongStages)
        self._stages, self._passes, self._tick = stages, passes, tick
        self._name = pass_name(trace.plan, at)
        self._side = coarse_side(*self.shape)
        self._overview: Overview | None = None

    @property
    def overview(self) -> Overview:
        """Not a cached_property: Python 3.11's would share one lock."""
        if self._overview is None:
            self._overview = self._passes.overview(self._name, self._made, self._tick)
        return self._overview

    def extent(self) -> Extent:
        """Range of open cells; 0 to 0 without any."""
        level, rows = self.overview.level, self.overview.rows
        # Overflowed squares have no extremes: use the rows' maxima.
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

    def metrics(self, tokens: Sequence[str | None] | None, *, same_text: bool) -> HeadMetrics:
        """Metrics without padded queries."""
        queries, _ = self.setting.lengths[self.at.batch]
        rows = self.overview.rows
        assert rows is not None
        real = rows._replace(
            sums=rows.sums.cut(slice(0, queries)),
            **{name: one[:queries] for name, one in rows._asdict().items() if name != "sums"},
        )
        self._recall_sums()
        one = self._stages.factored.of_head(self.at.batch, self.at.head)
        named = None if tokens is None else tokens[:queries]
        return factored_metrics(one, real, named, same_text=same_text)

    def _recall_sums(self) -> None:
        found = self._passes.known(self._name)
        if found is not None and found.rows is not None:
            self._stages.factored.remember(self.at.batch, self.at.head, found.rows.sums)

    def _made(self, tick: Tick) -> Overview:
        at = self.at
        return overview(
            self._stages.factored, at.stage, at.batch, at.head, self._side, tick, self._executor
        )
