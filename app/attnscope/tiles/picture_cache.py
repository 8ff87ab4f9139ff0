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
from attnscope.analysis.left_out_keys import without_keys
from attnscope.analysis.merged_words import Merging, WordPlaces, any_open, merge_words, words_at
from attnscope.attention.overview import Tick
from attnscope.storage.cache import Cache
from attnscope.tiles.picture import (
    Spacing,
    Thumbnails,
    eight_bits,
    pictures_of_heads,
    squares_within,
    thumbnails,
)
from attnscope.trace.plan import Plan
from attnscope.trace.reading_cost import Cost, bytes_of_pass, bytes_without_keys
from attnscope.trace.stage_map import AT_ONCE, Extent, Picture, Reduce, Squares, StageMap
from attnscope.trace.trace import Trace


class MapPlace(NamedTuple):
    """`head` is 0 for stages without heads. `skip` lists keys that are left out."""

    stage: str
    layer: int
    head: int = 0
    batch: int = 0
    merging: Merging | None = None
    skip: tuple[int, ...] = ()


def shape_at(planned: Plan, at: MapPlace) -> tuple[int, ...]:
    if at.merging is None:
        return planned.shape_of(at.stage, at.layer)
    places = words_at(planned, at.layer, at.batch)
    return len(places.queries), len(places.keys)


def map_at(trace: Trace, at: MapPlace, tick: Tick | None = None) -> StageMap:
    stage_map = trace.map(at.stage, at.layer, at.head, at.batch, tick)
    if at.skip:
        return MapWithoutKeys(stage_map, at.skip)
    if at.merging is None:
        return stage_map
    return WordMap(stage_map, words_at(trace.plan, at.layer, at.batch), at.merging)


class WordMap(StageMap):
    """A cell of two words is open if any cell of their tokens is open."""

    def __init__(self, tokens: StageMap, places: WordPlaces, merging: Merging) -> None:
        words = merge_words(tokens.numbers, places, merging)
        super().__init__(words, tokens.setting, tokens.stage, tokens.batch, tokens.head)
        self._tokens, self._places = tokens, places

    def open_cells(self, rows: slice, cols: slice) -> np.ndarray:
        places = WordPlaces(self._places.queries[rows], self._places.keys[cols])
        queries, keys = (slice(of[0][0], of[-1][-1] + 1) for of in (places.queries, places.keys))
        return any_open(self._tokens.open_cells(queries, keys), places)


class MapWithoutKeys(StageMap):
    def __init__(self, whole: StageMap, skip: tuple[int, ...]) -> None:
        numbers = without_keys(whole.numbers, skip)
        super().__init__(numbers, whole.setting, whole.stage, whole.batch, whole.head)
        self._skip = skip

    def open_cells(self, rows: slice, cols: slice) -> np.ndarray:
        keys = np.arange(cols.start, cols.stop)
        return super().open_cells(rows, cols) & ~np.isin(keys, self._skip)


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
            same_text = not trace.plan.attends_to_context(layer)
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
        """Cost of a picture and its extent. `exact`: single cells, which need no pass."""
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
