from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attnscope.analysis.left_out_keys import without_keys
from attnscope.analysis.merged_words import Merging, WordPlaces, any_open, merge_words, words_at
from attnscope.attention.overview import Tick
from attnscope.trace.plan import Plan
from attnscope.trace.stage_map import StageMap
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
