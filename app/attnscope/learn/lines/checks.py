"""Check names, indices, ranges and conditions of a line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from attnscope.learn.lines.steps import AXES, FUNCTIONS, INDICES, RANGES, SIZES, Step
from attnscope.learn.lines.tree import (
    TRUTHS,
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

MOST_LOOPS = 3  # nested


def check(tree: Node, step: Step) -> None:
    """Raises LineError."""
    _Checker(step).number(tree, dict(step.loops), 0)


class _Checker:
    def __init__(self, step: Step) -> None:
        self.step = step

    def number(self, node: Node, scope: Mapping[str, str], loops: int) -> None:
        if _is_truth(node):
            raise LineError("condition_as_number", node.at)
        match node:
            case Name():
                self.name(node, scope)
            case Index():
                self.cell(node, scope, loops)
            case Unary() | Binary():
                for operand in _operands(node):
                    self.number(operand, scope, loops)
            case Choice():
                self.number(node.yes, scope, loops)
                self.number(node.no, scope, loops)
                self.condition(node.condition, scope, loops)
            case Call():
                self.call(node, scope, loops)
            case Loop():
                self.loop(node, scope, loops)
            case Number():
                pass

    def condition(self, node: Node, scope: Mapping[str, str], loops: int) -> None:
        if not _is_truth(node):
            raise LineError("number_as_condition", node.at)
        for operand in _operands(node):
            joins = isinstance(node, Unary | Binary) and node.operator in ("and", "or", "not")
            (self.condition if joins else self.number)(operand, scope, loops)

    def name(self, node: Name, scope: Mapping[str, str]) -> None:
        if node.name in scope or node.name in SIZES:
            return
        if node.name in self.step.given:
            raise _misused("needs_indices", node.at, node.name)
        if node.name in RANGES:
            raise LineError("range_as_number", node.at, name=node.name, size=RANGES[node.name])
        if node.name in FUNCTIONS:
            raise LineError("needs_brackets", node.at, name=node.name)
        if node.name in ("c", "j", "l", "m"):
            raise LineError("counts_nothing", node.at, name=node.name)
        raise self.unknown(node.name, node.at, scope)

    def unknown(self, name: str, at: int, scope: Mapping[str, str]) -> LineError:
        stages = list(AXES)
        if name == "softmax":
            return LineError("softmax", at)
        if name == self.step.stage:
            return LineError("itself", at, name=name)
        if name in stages:
            late = stages.index(name) > stages.index(self.step.stage)
            return LineError("later" if late else "earlier", at, name=name)
        known = [*self.step.given, *scope, *SIZES, *RANGES, *FUNCTIONS]
        near = difflib.get_close_matches(name, known, 1)
        names = ", ".join(known)
        if near:
            return LineError("misspelt", at, name=name, near=near[0])
        return LineError("unknown", at, name=name[:40], names=names)

    def cell(self, node: Index, scope: Mapping[str, str], loops: int) -> None:
        if node.name not in self.step.given:
            if node.name in scope or node.name in SIZES:
                raise LineError("no_indices", node.at, name=node.name)
            raise self.unknown(node.name, node.at, scope)
        axes = AXES[node.name]
        if len(node.indices) != len(axes):
            raise _misused("indices", node.at, node.name, count=len(node.indices))
        for index in node.indices:
            self.number(index, scope, loops)
        for axis, index in zip(axes, node.indices, strict=True):
            if isinstance(index, Name) and scope.get(index.name, axis) != axis:
                raise _misused("axis", index.at, node.name, index=index.name)

    def call(self, node: Call, scope: Mapping[str, str], loops: int) -> None:
        if node.function not in FUNCTIONS:
            if node.function in self.step.given:
                raise _misused("round_brackets", node.at, node.function)
            raise self.unknown(node.function, node.at, scope)
        if node.function in ("exp", "sqrt"):
            if len(node.arguments) != 1:
                raise LineError("one_argument", node.at, name=node.function)
        elif node.function == "sum" or len(node.arguments) < 2:
            raise LineError("loop_missing", node.at, name=node.function)
        for argument in node.arguments:
            self.number(argument, scope, loops)

    def loop(self, node: Loop, scope: Mapping[str, str], loops: int) -> None:
        if node.function not in ("sum", "max", "min"):
            raise LineError("no_loop", node.at, name=node.function[:40])
        if node.counted not in RANGES:
            raise LineError("no_range", node.at, name=node.counted[:40])
        if node.variable in (*AXES, *SIZES, *FUNCTIONS, *RANGES):
            raise LineError("taken", node.at, name=node.variable)
        if loops == MOST_LOOPS:
            raise LineError("too_many_loops", node.at, most=MOST_LOOPS)
        self.number(node.body, {**scope, node.variable: node.counted}, loops + 1)


def _is_truth(node: Node) -> bool:
    return isinstance(node, Unary | Binary) and node.operator in TRUTHS


def _operands(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Unary):
        return (node.operand,)
    return (node.left, node.right) if isinstance(node, Binary) else ()


def _misused(reason: str, at: int, name: str, **values: object) -> LineError:
    """The error shows a cell of the array, such as q[i, c]."""
    example = f"{name}[{', '.join(INDICES[name])}]"
    return LineError(reason, at, name=name, example=example, **values)
