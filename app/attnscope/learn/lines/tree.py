"""The syntax tree of a line, and its errors."""

from __future__ import annotations

from dataclasses import dataclass


class LineError(Exception):
    """Shown as the message `line.error.<reason>` with `values`. `at`: offset in the line."""

    def __init__(self, reason: str, at: int, **values: object) -> None:
        super().__init__(reason)
        self.reason, self.at, self.values = reason, at, values


@dataclass(frozen=True)
class Number:
    value: float
    at: int


@dataclass(frozen=True)
class Name:
    name: str
    at: int


@dataclass(frozen=True)
class Index:
    """q[i, c]"""

    name: str
    indices: tuple[Node, ...]
    at: int


@dataclass(frozen=True)
class Unary:
    operator: str  # "-" or "not"
    operand: Node
    at: int


@dataclass(frozen=True)
class Binary:
    operator: str
    left: Node
    right: Node
    at: int


@dataclass(frozen=True)
class Choice:
    """yes if condition else no"""

    yes: Node
    condition: Node
    no: Node
    at: int


@dataclass(frozen=True)
class Call:
    function: str
    arguments: tuple[Node, ...]
    at: int


@dataclass(frozen=True)
class Loop:
    """sum(body for variable in counted), or max or min"""

    function: str
    body: Node
    variable: str
    counted: str  # name of the range
    at: int


Node = Number | Name | Index | Unary | Binary | Choice | Call | Loop
COMPARISONS = frozenset({"<=", ">=", "==", "!=", "<", ">"})
TRUTHS = COMPARISONS | {"and", "or", "not"}  # operators whose result is true or false
