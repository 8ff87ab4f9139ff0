from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from jaxtyping import UInt8

from attnscope.analysis.heads import HeadMetrics, measure_rows
from attnscope.attention.overview import Tick
from attnscope.storage.cache import Cache
from attnscope.tiles.picture import Spacing, eight_bits
from attnscope.tiles.pyramid import squares_within
from attnscope.tiles.thumbnails import Thumbnails, pictures_of_heads, thumbnails
from attnscope.tiles.word_map import MapPlace, map_at
from attnscope.trace.plan import Plan
from attnscope.trace.reading_cost import Cost, bytes_of_pass, bytes_without_keys
from attnscope.trace.stage_map import AT_ONCE, Extent, Picture, Reduce, Squares, StageMap
from attnscope.trace.trace import Trace

EXTENT_BYTES = 200
METRICS_BYTES = 800
CELL_BYTES = 40  # per cell of a map, while it is reduced
THUMBNAIL_BYTES = 12  # per cell of a thumbnail, while it is computed


class LayerMetrics(NamedTuple):
    heads: list[HeadMetrics]


@dataclass(frozen=True)
class PictureCache:
    cache: Cache

    def extent(self, trace: Trace, at: MapPlace, tick: Tick | None = None) -> Extent:
        return self._extent(f"{trace.plan.id} {at}", lambda: map_at(trace, at, tick))

    def picture(self, trace: Trace, at: MapPlace, squares: Squares, reduce: Reduce) -> Picture:
        return self._picture(f"{trace.plan.id} {at}", lambda: map_at(trace, at), squares, reduce)

    def bits(
        self,
        trace: Trace,
        at: MapPlace,
        squares: Squares,
        reduce: Reduce,
        spacing: Spacing = "even",
    ) -> tuple[UInt8[np.ndarray, "rows cols"], Extent]:
        key, open_map = f"{trace.plan.id} {at}", cache(lambda: map_at(trace, at))
        extent = self._extent(key, open_map)
        picture = self._picture(key, open_map, squares, reduce)
        return eight_bits(picture, extent, spacing), extent

    def head_thumbnails(
        self, trace: Trace, batch: int, size: int, spacing: Spacing, skip: tuple[int, ...] = ()
    ) -> Thumbnails:
        key = f"{trace.plan.id} {batch} {size} {spacing} {skip}"
        found = self.cache.get(Thumbnails, key)
        if found is None:
            found = thumbnails(pictures_of_heads(trace, batch, size, skip), spacing)
            self.cache.put(key, found, found.bits.nbytes)
        return found

    def layer_metrics(self, trace: Trace, layer: int, batch: int) -> list[HeadMetrics]:
        key = f"{trace.plan.id} {layer} {batch}"
        found = self.cache.get(LayerMetrics, key)
        if found is None:
            same_text = not trace.plan.asks_context(layer)
            metrics = (measure_rows(rows, same_text=same_text) for rows in trace.rows(layer, batch))
            found = LayerMetrics(list(chain.from_iterable(metrics)))
            self.cache.put(key, found, METRICS_BYTES * len(found.heads))
        return found.heads

    def _extent(self, key: str, open_map: Callable[[], StageMap]) -> Extent:
        found = self.cache.get(Extent, key)
        if found is None:
            found = open_map().extent()
            self.cache.put(key, found, EXTENT_BYTES)
        return found

    def _picture(
        self, key: str, open_map: Callable[[], StageMap], squares: Squares, reduce: Reduce
    ) -> Picture:
        key = f"{key} {squares} {reduce}"
        found = self.cache.get(Picture, key)
        if found is None:
            found = open_map().reduce(squares, reduce)
            self.cache.put(key, found, found.bytes)
        return found

    def cost(
        self, planned: Plan, at: MapPlace, squares: Squares | None = None, *, exact: bool = False
    ) -> Cost:
        """Cost of a picture and its extent. An `exact` one shows single cells, without a pass."""
        near = self._is_near(planned, at, exact=exact)
        size = 0 if near else bytes_of_pass(planned)
        size += bytes_without_keys(planned, at.skip)
        if squares is not None:
            rows, cols = (span.stop - span.start for span in (squares.rows, squares.cols))
            size += CELL_BYTES * min(rows * cols, AT_ONCE)
        return Cost(size, near)

    def cost_of_small(self, planned: Plan, size: int, skip: tuple[int, ...]) -> Cost:
        heads, shape = planned.model.shape.num_heads, planned.shape_of("weights")
        rows, cols = squares_within(shape, size).shape
        pictures = THUMBNAIL_BYTES * planned.model.num_layers * heads * rows * cols
        read = bytes_of_pass(planned) or 4 * math.prod(shape[-2:])
        return Cost(read + pictures + bytes_without_keys(planned, skip, heads))

    def _is_near(self, planned: Plan, at: MapPlace, *, exact: bool) -> bool:
        """Whether reading takes milliseconds once the trace exists."""
        trace = self.cache.get(Trace, planned.id)
        if trace is None:
            return not bytes_of_pass(planned)
        passed = exact or self.cache.get(Extent, f"{planned.id} {at}") is not None
        return trace.is_near(at.stage, at.layer, at.head, at.batch, passed=passed)
