"""Evaluate a checked line in float64, cell by cell."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from attnscope.learn.arithmetic import signed
from attnscope.learn.lines.steps import RANGES, Step
from attnscope.learn.lines.tree import (
    Binary,
    Call,
    Choice,
    Index,
    LineError,
    Loop,
    Name,
    Node,
    Number,
    Unary,
)

MOST_WORK = 10_000  # nodes evaluated for one array
AGGREGATES: Mapping[str, Callable[[Iterable[float]], float]] = {"sum": sum, "max": max, "min": min}


def _power(base: float, exponent: float) -> float:
    power = base**exponent
    return power if isinstance(power, float | int) else math.nan


OPERATORS: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": _power,
    "and": lambda left, right: bool(left and right), "or": lambda left, right: bool(left or right),
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


@dataclass
class Evaluation:
    arrays: Mapping[str, np.ndarray]
    sizes: Mapping[str, int]
    work: int = 0

    def array(self, tree: Node, step: Step) -> np.ndarray:
        """Raises LineError."""
        counts = [self.sizes[RANGES[counted]] for counted in step.loops.values()]
        found = np.empty(counts)
        for place in np.ndindex(*counts):
            found[place] = self.value(tree, dict(zip(step.loops, place, strict=True)))
        return found

    def value(self, node: Node, scope: Mapping[str, int]) -> float:
        self.work += 1
        if self.work > MOST_WORK:
            raise LineError("too_much_work", node.at)
        match node:
            case Number():
                return node.value
            case Name():
                return self.named(node.name, scope)
            case Index():
                return self.cell(node, scope)
            case Unary():
                value = self.value(node.operand, scope)
                return float(not value) if node.operator == "not" else -value
            case Binary():
                return self.binary(node, scope)
            case Choice():
                yes = self.value(node.condition, scope)
                return self.value(node.yes if yes else node.no, scope)
            case Call():
                return self.call(node, scope)
            case Loop():
                turns = range(self.sizes[RANGES[node.counted]])
                values = [self.value(node.body, {**scope, node.variable: at}) for at in turns]
                return float(AGGREGATES[node.function](values))

    def named(self, name: str, scope: Mapping[str, int]) -> float:
        if name in scope:
            return float(scope[name])
        return math.inf if name == "inf" else float(self.sizes[name])

    def cell(self, node: Index, scope: Mapping[str, int]) -> float:
        array = self.arrays[node.name]
        place = []
        for size, index in zip(array.shape, node.indices, strict=True):
            at = self.value(index, scope)
            if not 0 <= at < size or at != int(at):
                values = {"name": node.name, "most": size - 1, "index": signed(at)}
                raise LineError("outside", index.at, **values)
            place.append(int(at))
        return float(array[tuple(place)])

    def binary(self, node: Binary, scope: Mapping[str, int]) -> float:
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        try:
            return float(OPERATORS[node.operator](left, right))
        except ZeroDivisionError:
            raise LineError("divided_by_0", node.at) from None
        except OverflowError:
            return math.inf

    def call(self, node: Call, scope: Mapping[str, int]) -> float:
        values = [self.value(argument, scope) for argument in node.arguments]
        if node.function in AGGREGATES:
            return float(AGGREGATES[node.function](values))
        (value,) = values
        if node.function == "sqrt":
            if value < 0:
                raise LineError("root_of_negative", node.at)
            return math.sqrt(value)
        return math.exp(value) if value < 709 else math.inf  # e^710 is too large for float64
