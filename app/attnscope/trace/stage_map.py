from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from attnscope import cancellation
from attnscope.attention.layer_context import LayerContext
from attnscope.attention.level import Level, level_of

MASKED = ("masked_scores", "weights")
AT_ONCE = 1 << 20  # cells of a strip

Reduce = Literal["mean", "max", "strongest"]


class Squares(NamedTuple):
    """`sides`: rows and columns of one square."""

    rows: slice
    cols: slice
    sides: tuple[int, int]

    @property
    def shape(self) -> tuple[int, int]:
        spans, (height, width) = (self.rows, self.cols), self.sides
        rows, cols = (span.stop - span.start for span in spans)
        return math.ceil(rows / height), math.ceil(cols / width)

    @property
    def area(self) -> np.ndarray:
        """Cells per square, fewer at the edges."""
        counts = []
        for span, side in zip((self.rows, self.cols), self.sides, strict=True):
            starts = np.arange(span.start, span.stop, side)
            counts.append(np.minimum(side, span.stop - starts))
        return np.outer(*counts)


class Extent(NamedTuple):
    """Range of finite numbers."""

    low: float
    high: float


class Picture(NamedTuple):
    values: Float[np.ndarray, "*head rows cols"]
    closed: Bool[np.ndarray, "*head rows cols"]

    @property
    def bytes(self) -> int:
        return self.values.nbytes + self.closed.nbytes

    @property
    def single(self) -> Float[np.ndarray, "*head rows cols"]:
        """Values in float32; finite ones stay finite."""
        if self.values.dtype == np.float32:
            return self.values
        most = np.finfo(np.float32).max
        infinite = np.isinf(self.values)
        return np.where(infinite, self.values, self.values.clip(-most, most)).astype(np.float32)


class StageMap:
    def __init__(
        self, numbers: np.ndarray, setting: LayerContext, stage: str, batch: int, head: int
    ) -> None:
        """`numbers`: [rows, cols]."""
        self.numbers, self.setting = numbers, setting
        self.stage, self.batch, self.head = stage, batch, head

    @property
    def shape(self) -> tuple[int, int]:
        rows, cols = self.numbers.shape
        return rows, cols

    def extent(self) -> Extent:
        """Range of open, finite cells; 0 to 0 without any."""
        low, high = np.inf, -np.inf
        for rows in strips(*self.shape):
            cancellation.check()
            block = self.numbers[rows, :]
            there = self.open_cells(rows, slice(0, block.shape[1])) & np.isfinite(block)
            low = min(low, float(block.min(where=there, initial=np.inf)))
            high = max(high, float(block.max(where=there, initial=-np.inf)))
        return Extent(low, high) if low <= high else Extent(0.0, 0.0)

    def reduce(self, squares: Squares, how: Reduce) -> Picture:
        """Closed cells are left out, but count as 0 in the mean of weights."""
        area = squares.area if self.stage == "weights" else None
        closed = -np.inf if self.stage == "masked_scores" else 0.0
        return picture_of(self.level(squares), how, closed, area)

    def level(self, squares: Squares) -> Level:
        (height, width), rows, cols = squares.sides, squares.rows, squares.cols
        spans = strips(rows.stop, cols.stop - cols.start, rows.start, height)
        parts = [self._level_of(span, cols, height, width) for span in spans]
        if len(parts) == 1:
            return parts[0]
        return Level(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def open_cells(self, rows: slice, cols: slice) -> Bool[np.ndarray, "rows cols"]:
        shape = (rows.stop - rows.start, cols.stop - cols.start)
        if self.stage not in MASKED:
            return np.ones(shape, bool)
        mask, lengths = self.setting.options.mask, self.setting.lengths[self.batch]
        queries, keys = np.arange(rows.start, rows.stop), np.arange(cols.start, cols.stop)
        return mask.may_attend(queries, keys, lengths, self.batch, self.head)

    def _level_of(self, rows: slice, cols: slice, height: int, width: int) -> Level:
        cancellation.check()
        return level_of(self.numbers[rows, cols], self.open_cells(rows, cols), height, width)


def strips(rows: int, cols: int, first: int = 0, height: int = 1) -> list[slice]:
    step = max(1, AT_ONCE // (max(cols, 1) * height)) * height
    return [slice(start, min(start + step, rows)) for start in range(first, rows, step)]


def picture_of(level: Level, how: Reduce, closed: float, area: np.ndarray | None) -> Picture:
    """`area`: cells per square; if given, the mean counts closed cells as 0. `closed`: value of
    squares without open cells."""
    shut = level.cells == 0
    with np.errstate(invalid="ignore", over="ignore"):
        if how == "max":
            values = level.most
        elif how == "strongest":
            values = np.where(-level.least > level.most, level.least, level.most)
        else:
            values = level.total / np.maximum(level.cells if area is None else area, 1)
        return Picture(np.where(shut, closed, values).astype(level.most.dtype), shut)
