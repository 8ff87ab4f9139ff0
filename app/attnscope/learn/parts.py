"""The parts of a chapter, in reading order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Body = Mapping[str, Any]  # a request body of POST /attention
Values = Callable[[], Mapping[str, str]]  # message values, computed on first access
Rows = Callable[[], list[list[str]]]


@dataclass(frozen=True)
class Prose:
    """The message `learn.<chapter>.<key>` with values, and the chapter that a last link leads to.

    `apart`: introduces what follows, and is not set beside the figure before it.
    """

    key: str
    leads_to: str = ""
    apart: bool = False
    values: Values = dict
    zh: Values | None = None  # values on Chinese pages, if they differ


@dataclass(frozen=True)
class Formula:
    latex: str


@dataclass(frozen=True)
class Figure:
    """Numbers of one question, drawn by a view, with the caption `learn.<chapter>.figure.<name>`.

    Without text, tokens or x it uses the reader's sentence. `look`: the initial view (head, layer,
    cell …). `knobs`: fields of the question or of `look` that the reader may change. `zh` replaces
    fields of the question, and of `look` under that name, on Chinese pages.
    """

    name: str
    question: Body = field(default_factory=dict)
    stages: tuple[str, ...] = ()
    view: str = "cards"
    look: Body = field(default_factory=dict)
    knobs: tuple[str, ...] = ()
    zh: Body = field(default_factory=dict)

    @property
    def own(self) -> bool:
        return not {"text", "tokens", "x"} & self.question.keys()


@dataclass(frozen=True)
class Step:
    """Lines that compute one stage, in each language."""

    stage: str
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Program(Figure):
    """Cards with the lines that compute each; languages are the messages `live.language.<name>`."""

    languages: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Worked:
    """Published figures beside computed ones."""

    example: str


@dataclass(frozen=True)
class Table:
    """The messages `learn.<chapter>.<name>.<row>.<column>`; the first row is the header."""

    name: str
    rows: int
    columns: int


@dataclass(frozen=True)
class Measured:
    """A table with computed rows under the header. A row's first cell is its header."""

    name: str
    columns: int
    rows: Rows
    zh: Rows | None = None  # rows on Chinese pages, if they differ


@dataclass(frozen=True)
class Course:
    """Measurements during the training of a shipped model; columns are `live.course.<name>`."""

    model: str
    columns: tuple[str, ...]
    every: int = 1  # every so many rows; the last is always included
    zh: str = ""  # the model on Chinese pages, if another


@dataclass(frozen=True)
class Lines:
    """Lines that the reader writes, introduced by `learn.<chapter>.<name>.<stage>`."""

    name: str
    stages: tuple[str, ...]


@dataclass(frozen=True)
class Hook:
    """The place of a figure or a course that a chapter computes."""

    kind: str
    name: str


Part = Prose | Formula | Figure | Worked | Table | Measured | Course | Lines


@dataclass(frozen=True)
class Given:
    """By the name of a stage or parameter."""

    name: str
    values: list[list[float]]


@dataclass(frozen=True)
class Exercise:
    """The message `exercise.<kind>` with these values, or `task` where tasks of one kind differ in
    more than values. After a wrong answer `exercise.<kind>.hint`, then `exercise.<kind>.worked`,
    which may also use `worked` and `answer`.

    The answer is a number, rounded to `decimals`, or one of the `choices`; a choice that is a
    message key is shown in the reader's language. A `share` is a number from 0 to 1 that may be
    given in percent. `slips` are numbers that a likely mistake leads to, each by its message
    `practice.near.<name>`, and `replies` say why a choice is wrong, each by its message. `question`
    opens in Explore. An `open` exercise asks for a sentence, which is not marked; its answer is the
    message of a model answer. `name` is unique in its chapter and the same under every seed.
    """

    kind: str
    answer: float | str
    values: Body = field(default_factory=dict)
    decimals: int = 0
    choices: tuple[str, ...] = ()
    given: tuple[Given, ...] = ()
    question: Body | None = None
    worked: Body = field(default_factory=dict)
    share: bool = False
    slips: Mapping[str, float] = field(default_factory=dict)
    task: str = ""
    replies: Mapping[str, str] = field(default_factory=dict)
    open: bool = False
    name: str = ""

    @property
    def prompt(self) -> str:
        """The message of its task."""
        return self.task or f"exercise.{self.kind}"


Make = Callable[[np.random.Generator], Exercise]
