"""The parts of a chapter and its exercises."""

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
    """A paragraph: the message `learn.<chapter>.<key>` with values.

    `leads_to`: the chapter of a link at its end. `apart`: the paragraph introduces what follows, so
    it does not stand beside the figure before it.
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

    A question without text, tokens or x asks for the reader's sentence. `look`: the initial view
    (head, layer, cell …). `knobs`: fields of the question or of `look` that the reader may change.
    On Chinese pages `zh` replaces fields of the question, and its `look` fields of `look`.
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
    """The code of one stage in each programming language."""

    stage: str
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Program(Figure):
    """Cards, each beside its code. Names of languages are the messages `live.language.<name>`."""

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
    """A table with computed rows. The first cell of a row is its header."""

    name: str
    columns: int
    rows: Rows
    zh: Rows | None = None  # rows on Chinese pages, if they differ


@dataclass(frozen=True)
class Course:
    """A table of measurements from the training of a shipped model. The message of a column is
    `live.course.<name>`."""

    model: str
    columns: tuple[str, ...]
    every: int = 1  # shows every n-th row, and always the last
    zh: str = ""  # the model on Chinese pages, if it is another


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
    """Numbers that an exercise shows, named after a stage or parameter."""

    name: str
    values: list[list[float]]


@dataclass(frozen=True)
class Exercise:
    """The task is the message `exercise.<kind>` with these values, or `task` where tasks of one
    kind differ in more than values. A wrong answer shows `exercise.<kind>.hint`, a second one
    `exercise.<kind>.worked`, which may also use `worked` and `answer`.

    The answer is a number, rounded to `decimals`, or one of the `choices`; a choice that is a
    message key is shown in the reader's language. A `share` is a number from 0 to 1 that readers
    may give in percent. `slips` are results of likely mistakes, under the names of their messages
    `practice.near.<name>`; `replies` are the messages that say why a choice is wrong. `question`
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
        return self.task or f"exercise.{self.kind}"


Make = Callable[[np.random.Generator], Exercise]
