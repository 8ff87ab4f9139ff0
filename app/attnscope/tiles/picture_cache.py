"""Cache of pictures, extents and metrics."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import UInt8

from attnscope.analysis.heads import HeadMetrics, head_metrics
from attnscope.attention.attend import MAPS
from attnscope.attention.overview import Tick
from attnscope.storage.cache import Cache
from attnscope.tiles.long_map import LongMap, pass_name
from attnscope.tiles.map_passes import Passes
from attnscope.tiles.picture import Extent, Picture, Reduce, Spacing, eight_bits
from attnscope.tiles.pyramid import Squares, squares_within
from attnscope.tiles.stage_map import At, MapWithoutKeys, StageMap, WordMap, picture_at
from attnscope.tiles.thumbnails import Thumbnails, small_layers, thumbnails
from attnscope.trace.long_text import LongLayers
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace

EXTENT_BYTES = 200
METRICS_BYTES = 800


class LayerMetrics(NamedTuple):
    heads: list[HeadMetrics]


@dataclass(frozen=True)
class PictureCache:
    cache: Cache
    passes: Passes
    executor: Executor | None = None  # None: local cores

    def extent(self, trace: Trace, at: At, tick: Tick | None = None) -> Extent:
        key = f"{trace.plan.id} {at}"
        found = self.cache.get(Extent, key)
        if found is None:
            found = self.stage_map(trace, at, tick).extent()
            self.cache.put(key, found, EXTENT_BYTES)
        return found

    def picture(self, trace: Trace, at: At, squares: Squares, reduce: Reduce) -> Picture:
        key = f"{trace.plan.id} {at} {squares} {reduce}"
        found = self.cache.get(Picture, key)
        if found is None:
            found = picture_at(self.stage_map(trace, at), squares, reduce)
            self.cache.put(key, found, found.bytes)
        return found

    def small(
        self, trace: Trace, batch: int, size: int, spacing: Spacing, skip: tuple[int, ...] = ()
    ) -> Thumbnails:
        """Long texts need a pass over each map."""
        key = f"{trace.plan.id} {batch} {size} {spacing} {skip}"
        found = self.cache.get(Thumbnails, key)
        if found is None:
            layers = self._long_layers(trace, batch, size) if trace.plan.long else None
            found = thumbnails(layers or small_layers(trace, batch, size, skip), spacing)
            self.cache.put(key, found, found.bits.nbytes)
        return found

    def _long_layers(self, trace: Trace, batch: int, size: int) -> list[Picture]:
        heads, layers = range(trace.plan.model.shape.num_heads), range(len(trace.layers))
        made = []
        for layer in layers:
            squares = squares_within(trace.plan.shape_of("weights", layer), size)
            places = [At("weights", layer, head, batch) for head in heads]
            pictures = [self.picture(trace, at, squares, "max") for at in places]
            made.append(Picture(*(np.stack(each) for each in zip(*pictures, strict=True))))
        return made

    def bits(
        self, trace: Trace, at: At, squares: Squares, reduce: Reduce, spacing: Spacing = "even"
    ) -> tuple[UInt8[np.ndarray, "rows cols"], Extent]:
        extent = self.extent(trace, at)
        return eight_bits(self.picture(trace, at, squares, reduce), extent, spacing), extent

    def layer_metrics(self, trace: Trace, layer: int, batch: int) -> list[HeadMetrics]:
        key = f"{trace.plan.id} {layer} {batch}"
        found = self.cache.get(LayerMetrics, key)
        if found is None:
            found = LayerMetrics(self._measured(trace, layer, batch))
            self.cache.put(key, found, METRICS_BYTES * len(found.heads))
        return found.heads

    def _measured(self, trace: Trace, layer: int, batch: int) -> list[HeadMetrics]:
        planned = trace.plan
        same_text = not planned.asks_context(layer)
        if planned.long:
            heads = range(planned.model.shape.num_heads)
            places = (At("weights", layer, head, batch) for head in heads)
            return [self._of_long(trace, at, same_text=same_text) for at in places]
        words = planned.words_of(layer).tokens
        queries, keys = planned.setting.at(layer).lengths[batch]
        weights = trace.layers[layer]["weights"][batch, :, :queries, :keys]
        tokens = None if words is None else words[batch][:queries]
        return head_metrics(weights, tokens, same_text=same_text)

    def _of_long(self, trace: Trace, at: At, *, same_text: bool) -> HeadMetrics:
        key = f"{trace.plan.id} {at} {same_text}"
        found = self.cache.get(HeadMetrics, key)
        if found is None:
            stage_map = self.stage_map(trace, at)
            assert isinstance(stage_map, LongMap)
            words = trace.plan.words_of(at.layer).tokens
            tokens = None if words is None else words[at.batch]
            found = stage_map.metrics(tokens, same_text=same_text)
            self.cache.put(key, found, METRICS_BYTES)
        return found

    def is_near(self, planned: Plan, at: At, *, fine: bool = False) -> bool:
        """Whether reading takes milliseconds; `fine`: without a pass."""
        if not planned.long:
            return True
        trace = self.cache.get(Trace, planned.id)
        if trace is None or at.stage not in MAPS or not isinstance(trace.layers, LongLayers):
            return False
        passed = self.passes.known(pass_name(planned, at)) is not None
        known = fine or passed or self.cache.get(Extent, f"{planned.id} {at}") is not None
        return known and trace.layers.has_map(at.layer)

    def stage_map(self, trace: Trace, at: At, tick: Tick | None = None) -> StageMap:
        if trace.plan.long and at.stage in MAPS:
            return LongMap(trace, at, self.passes, tick, self.executor)
        if at.skip:
            return MapWithoutKeys(trace, at)
        return StageMap(trace, at) if at.merging is None else WordMap(trace, at)
