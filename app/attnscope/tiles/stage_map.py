"""One stage of one head, pooled to squares."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attnscope import cancellation
from attnscope.analysis.left_out_keys import without_keys
from attnscope.analysis.merged_words import Merging, WordPlaces, any_open, merged, words_at
from attnscope.attention.level import Level, level_of
from attnscope.tiles.picture import Extent, Picture, Reduce, picture_of
from attnscope.tiles.pyramid import Squares
from attnscope.trace.cell_reader import Place, Reader
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace

MASKED = ("masked_scores", "weights")
AT_ONCE = 1 << 20
CELL_BYTES = 40  # while pooling


class At(NamedTuple):
    """`head`: 0 without heads; `skip`: left-out keys."""

    stage: str
    layer: int
    head: int = 0
    batch: int = 0
    merging: Merging | None = None
    skip: tuple[int, ...] = ()


def shape_at(planned: Plan, at: At) -> tuple[int, ...]:
    if at.merging is None:
        return planned.shape_of(at.stage, at.layer)
    places = words_at(planned, at.layer, at.batch)
    return len(places.queries), len(places.keys)


class StageMap:
    def __init__(self, trace: Trace, at: At) -> None:
        reader = Reader.at(trace, at.stage, Place(at.layer, at.head, at.batch, 0, 0))
        self.numbers = reader.slice(at.stage, reader.head_of(at.stage))
        self.at, self.setting = at, reader.setting

    @property
    def shape(self) -> tuple[int, int]:
        rows, cols = self.numbers.shape
        return rows, cols

    def extent(self) -> Extent:
        """Range of open cells; 0 to 0 without any."""
        low, high = np.inf, -np.inf
        for rows in strips(*self.shape):
            cancellation.check()
            block = self.numbers[rows, :]
            there = self._open(rows, slice(0, block.shape[1])) & np.isfinite(block)
            low = min(low, float(block.min(where=there, initial=np.inf)))
            high = max(high, float(block.max(where=there, initial=-np.inf)))
        return Extent(low, high) if low <= high else Extent(0.0, 0.0)

    def level(self, squares: Squares) -> Level:
        height, width = squares.sides
        cols = squares.cols
        parts = [
            self._level_of(rows, cols, height, width)
            for rows in strips(
                squares.rows.stop, cols.stop - cols.start, squares.rows.start, height
            )
        ]
        if len(parts) == 1:
            return parts[0]
        return Level(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _level_of(self, rows: slice, cols: slice, height: int, width: int) -> Level:
        cancellation.check()
        return level_of(self.numbers[rows, cols], self._open(rows, cols), height, width)

    def _open(self, rows: slice, cols: slice) -> np.ndarray:
        shape = (rows.stop - rows.start, cols.stop - cols.start)
        if self.at.stage not in MASKED:
            return np.ones(shape, bool)
        mask, lengths = self.setting.options.mask, self.setting.lengths[self.at.batch]
        queries, keys = np.arange(rows.start, rows.stop), np.arange(cols.start, cols.stop)
        return mask.may_attend(queries, keys, lengths, self.at.batch, self.at.head)


class WordMap(StageMap):
    """A cell is open if one of its tokens' cells is."""

    def __init__(self, trace: Trace, at: At) -> None:
        super().__init__(trace, at)
        self.places = words_at(trace.plan, at.layer, at.batch)
        self.numbers = merged(self.numbers, self.places, at.merging or Merging())

    def _open(self, rows: slice, cols: slice) -> np.ndarray:
        mask, lengths = self.setting.options.mask, self.setting.lengths[self.at.batch]
        places = WordPlaces(self.places.queries[rows], self.places.keys[cols])
        queries, keys = (
            np.arange(of[0][0], of[-1][-1] + 1) for of in (places.queries, places.keys)
        )
        cells = mask.may_attend(queries, keys, lengths, self.at.batch, self.at.head)
        return any_open(cells, places)


class MapWithoutKeys(StageMap):
    """Left-out keys are closed."""

    def __init__(self, trace: Trace, at: At) -> None:
        super().__init__(trace, at)
        self.numbers = without_keys(self.numbers, at.skip)

    def _open(self, rows: slice, cols: slice) -> np.ndarray:
        keys = np.arange(cols.start, cols.stop)
        return super()._open(rows, cols) & ~np.isin(keys, self.at.skip)


def strips(rows: int, cols: int, first: int = 0, height: int = 1) -> list[slice]:
    """Split rows into strips of about AT_ONCE cells."""
    step = max(1, AT_ONCE // (max(cols, 1) * height)) * height
    return [slice(start, min(start + step, rows)) for start in range(first, rows, step)]


def extra_of(squares: Squares) -> int:
    rows: int = squares.rows.stop - squares.rows.start
    cols: int = squares.cols.stop - squares.cols.start
    return CELL_BYTES * min(rows * cols, AT_ONCE)


def picture_at(stage_map: StageMap, squares: Squares, reduce: Reduce) -> Picture:
    name = stage_map.at.stage
    area = area_of(squares) if name == "weights" else None
    closed = -np.inf if name == "masked_scores" else 0.0
    return picture_of(stage_map.level(squares), reduce, closed, area)


def area_of(squares: Squares) -> np.ndarray:
    """Cells per square, fewer at the edges."""
    counts = []
    for span, side in zip((squares.rows, squares.cols), squares.sides, strict=True):
        starts = np.arange(span.start, span.stop, side)
        counts.append(np.minimum(side, span.stop - starts))
    return np.outer(*counts)
