from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attnscope.trace.stages import BY_NAME, out_of_range
from attnscope.trace.trace import Trace

DIGITS = 5
SHOWN_TERMS = 16  # most terms of a sum
FIRST_TERMS = 3


def format_number(value: float) -> str:
    """Five significant digits; −0 becomes 0."""
    if np.isneginf(value):
        return "−∞"
    text = f"{value:.{DIGITS}g}"
    return text.replace("-", "−") if float(text) else "0"


def signed(value: float) -> str:
    """Put negative numbers in brackets."""
    text = format_number(value)
    return f"({text})" if text.startswith("−") else text


def products(left: Sequence[float], right: Sequence[float]) -> list[str]:
    """Terms such as 2 × 3."""
    pairs = list(zip(left, right, strict=True))
    terms = [
        f"{signed(a) if at else format_number(a)} × {signed(b)}"
        for at, (a, b) in enumerate(pairs[:SHOWN_TERMS])
    ]
    more = [f"… ({len(pairs) - SHOWN_TERMS} more)"] if len(pairs) > SHOWN_TERMS else []
    return terms + more


def total(terms: Sequence[str]) -> str:
    return " + ".join(terms)


def shorten_sum(terms: Sequence[str]) -> str:
    return total(terms if len(terms) <= FIRST_TERMS + 1 else [*terms[:FIRST_TERMS], "…"])


def equation(expression: str, operands: Sequence[float], value: float) -> str:
    """Join by ≈ if a number was rounded, else by =."""
    exact = all(_is_whole(number_) for number_ in (*operands, value))
    return f"{expression} {'=' if exact else '≈'} {format_number(value)}"


def _is_whole(value: float) -> bool:
    return not np.isfinite(value) or float(f"{value:.{DIGITS}g}") == value


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
    """In a row times a column, `left` and `right` are ranges [start, end) of `operands`."""

    stage: str
    expression: str
    operands: list[Operand]
    value: float
    left: tuple[int, int] | None = None
    right: tuple[int, int] | None = None
    bias: int | None = None
    short: str | None = None


@dataclass(frozen=True)
class CellPlace:
    layer: int
    head: int
    batch: int
    row: int
    col: int


class Reader:
    def __init__(self, trace: Trace, place: CellPlace) -> None:
        self.trace, self.place = trace, place
        self.stages = trace.layers[place.layer]
        self.setting = trace.plan.setting.at(place.layer)
        self.shape = self.setting.shape
        self._numbers: dict[tuple[str, int | None], np.ndarray] = {}

    @classmethod
    def at(cls, trace: Trace, name: str, place: CellPlace) -> Reader:
        trace.check(name, place.layer, place.head, place.batch)
        reader = cls(trace, place)
        rows, cols = reader.slice(name, place.head).shape
        for axis, value, count in (("row", place.row, rows), ("col", place.col, cols)):
            if not 0 <= value < count:
                raise out_of_range(axis, value, count)
        return reader

    @cached_property
    def parameters(self) -> dict[str, np.ndarray]:
        return self.trace.parameters[self.place.layer].arrays()

    def slice(self, name: str, head: int | None) -> np.ndarray:
        head = head if BY_NAME[name].head_axis else None
        if (name, head) not in self._numbers:
            self._numbers[name, head] = self.trace.numbers(
                name, self.place.layer, head or 0, self.place.batch
            )
        return self._numbers[name, head]

    def head_of(self, name: str) -> int | None:
        return self.place.head if BY_NAME[name].head_axis else None

    def value(self, name: str) -> float:
        return float(self.slice(name, self.place.head)[self.place.row, self.place.col])

    def operand(self, name: str, row: int, col: int, head: int | None = None) -> Operand:
        value = float(self.slice(name, head)[row, col])
        return Operand(name, self.place.layer, head, row, col, value)

    def equated(self, stage: str, expression: str, operands: list[Operand]) -> Step:
        value, read = self.value(stage), [one.value for one in operands]
        return Step(stage, equation(expression, read, value), operands, value)

    def row(self, name: str, row: int, head: int | None = None) -> list[Operand]:
        values = self.slice(name, head)[row, :].tolist()
        at = self.place.layer, head, row
        return [Operand(name, *at, col, value) for col, value in enumerate(values)]

    def column(self, name: str, col: int, head: int | None = None) -> list[Operand]:
        values = self.slice(name, head)[:, col].tolist()
        at = self.place.layer, head
        return [Operand(name, *at, row, col, value) for row, value in enumerate(values)]
