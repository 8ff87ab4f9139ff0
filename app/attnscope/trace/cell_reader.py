"""Reads the operands of one cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attnscope.errors import InvalidRequest, UnknownStage
from attnscope.trace.stages import BY_NAME, NAMES, Stage
from attnscope.trace.trace import Trace


@dataclass(frozen=True)
class Operand:
    stage: str
    layer: int
    head: int | None
    row: int
    col: int
    value: float


@dataclass(frozen=True)
class Step:
    """`left`, `right`: [start, end) of a product's operands."""

    stage: str
    expression: str
    operands: list[Operand]
    value: float
    left: tuple[int, int] | None = None
    right: tuple[int, int] | None = None
    bias: int | None = None
    short: str | None = None


@dataclass(frozen=True)
class Place:
    layer: int
    head: int
    batch: int
    row: int
    col: int


class Reader:
    def __init__(self, trace: Trace, place: Place) -> None:
        self.trace, self.place = trace, place
        if not 0 <= place.layer < len(trace.layers):
            raise out_of_range("layer", place.layer, len(trace.layers))
        self.stages = trace.layers[place.layer]
        self.parameters = trace.parameters[place.layer].arrays()
        self.setting = trace.plan.setting.at(place.layer)
        self.shape = self.setting.shape
        self._heads: dict[tuple[str, int], np.ndarray] = {}  # derived maps

    @classmethod
    def at(cls, trace: Trace, name: str, place: Place) -> Reader:
        """Raises UnknownStage or InvalidRequest."""
        reader = cls(trace, place)
        if name in BY_NAME:
            trace.plan.check_there(name, place.layer)
        if name not in reader.stages and name not in reader.parameters:
            raise unknown_stage(name)
        reader.check(BY_NAME[name])
        return reader

    def slice(self, name: str, head: int | None) -> np.ndarray:
        """Last two axes; maps of long texts support only shape and indexing."""
        if name in self.parameters:
            return np.atleast_2d(self.parameters[name])
        if head is None:
            array: np.ndarray = self.stages[name][self.place.batch]
            return array
        if (name, head) not in self._heads:
            self._heads[name, head] = self.stages.head(name, self.place.batch, head)
        return self._heads[name, head]

    def check(self, stage: Stage) -> None:
        heads = {None: None, "head": self.shape.num_heads, "kv_head": self.shape.num_kv_heads}
        count = heads[stage.head_axis]
        if count is not None and not 0 <= self.place.head < count:
            raise out_of_range("head", self.place.head, count)
        if not 0 <= self.place.batch < self.trace.plan.batch:
            raise out_of_range("batch", self.place.batch, self.trace.plan.batch)
        rows, cols = self.slice(stage.name, self.head_of(stage.name)).shape
        if not 0 <= self.place.row < rows:
            raise out_of_range("row", self.place.row, rows)
        if not 0 <= self.place.col < cols:
            raise out_of_range("col", self.place.col, cols)

    def head_of(self, name: str) -> int | None:
        return self.place.head if BY_NAME[name].head_axis else None

    def value(self, name: str, head: int | None, row: int, col: int) -> float:
        head = head if BY_NAME[name].head_axis else None
        return float(self.slice(name, head)[row, col])

    def operand(self, name: str, row: int, col: int, head: int | None = None) -> Operand:
        return Operand(name, self.place.layer, head, row, col, self.value(name, head, row, col))

    def row(self, name: str, row: int, head: int | None = None) -> list[Operand]:
        values = self.slice(name, head if BY_NAME[name].head_axis else None)[row, :].tolist()
        at = self.place.layer, head, row
        return [Operand(name, *at, col, value) for col, value in enumerate(values)]

    def column(self, name: str, col: int, head: int | None = None) -> list[Operand]:
        values = self.slice(name, head if BY_NAME[name].head_axis else None)[:, col].tolist()
        at = self.place.layer, head
        return [Operand(name, *at, row, col, value) for row, value in enumerate(values)]


def unknown_stage(name: str) -> UnknownStage:
    return UnknownStage("unknown_stage", at="stage", stage=name[:40], stages=", ".join(NAMES))


def out_of_range(name: str, value: int, count: int) -> InvalidRequest:
    return InvalidRequest("out_of_range", at=name, name=name, value=value, last=count - 1)
