"""What a chapter is made of, in reading order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Body = Mapping[str, Any]  # a question as POST /attention takes it
Values = Callable[[], Mapping[str, str]]  # computed when it is first read, told as they are


@dataclass(frozen=True)
class Prose:
    """A paragraph: the message `learn.<chapter>.<key>`, with values of the engine in it, and the
    chapter that a link at its end leads to. One that is `apart` speaks of what follows it, and
    does not stand beside the figure before it."""

    key: str
    values: Values = dict
    leads_to: str = ""
    apart: bool = False


@dataclass(frozen=True)
class Formula:
    """A formula on a line of its own."""

    latex: str


@dataclass(frozen=True)
class Figure:
    """Numbers of one question, drawn by a view of the workbench.

    Its caption is the message `learn.<chapter>.figure.<name>`. A question without text, tokens or
    x is asked of the reader's own sentence. `look` is what is looked at (head, layer, cell …),
    `knobs` the fields of the question, or of `look`, that the reader may turn; `zh` has its words
    where the page is Chinese, as many as there are.
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
        """Whether it follows the reader's sentence."""
        return not {"text", "tokens", "x"} & self.question.keys()


@dataclass(frozen=True)
class Step:
    """A few lines of a program that make one stage, in each of its languages."""

    stage: str
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Program(Figure):
    """A figure of cards with the lines that make each of them beside it; the languages are the
    messages `live.language.<name>`."""

    languages: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Worked:
    """A worked example of the literature: published figures beside computed ones."""

    example: str


@dataclass(frozen=True)
class Table:
    """Rows of messages `learn.<chapter>.<name>.<row>.<column>`; the first row is the head."""

    name: str
    rows: int
    columns: int


@dataclass(frozen=True)
class Measured:
    """Figures that the engine computes when they are first read: a table whose columns are the
    messages `learn.<chapter>.<name>.<column>`; the first of a row is its head."""

    name: str
    columns: tuple[str, ...]
    rows: Callable[[], list[list[str]]]


@dataclass(frozen=True)
class Course:
    """What was measured while an installed model was trained, some steps of it: a table whose
    columns are the messages `live.course.<name>`."""

    model: str
    columns: tuple[str, ...]
    every: int = 1  # of the rows that were measured; the last is always there


Part = Prose | Formula | Figure | Worked | Table | Measured | Course


@dataclass(frozen=True)
class Given:
    """Numbers an exercise starts from, under the name of a stage or parameter."""

    name: str
    values: list[list[float]]


@dataclass(frozen=True)
class Exercise:
    """Something to predict: the message `exercise.<kind>` with these values.

    After a wrong answer `exercise.<kind>.hint` is told, with the same values, and in the end
    `exercise.<kind>.worked`, which may use those of `worked` and the `answer` too.

    The answer is a number, rounded to `decimals`, or one of the `choices`; a choice that is a
    message key is told in the reader's language. `question` opens in Explore.
    """

    kind: str
    answer: float | str
    values: Body = field(default_factory=dict)
    decimals: int = 0
    choices: tuple[str, ...] = ()
    given: tuple[Given, ...] = ()
    question: Body | None = None
    worked: Body = field(default_factory=dict)


Make = Callable[[np.random.Generator], Exercise]


@dataclass(frozen=True)
class Chapter:
    """A page of the course; `name` is its address and names its messages."""

    name: str
    parts: tuple[Part, ...]
    exercises: tuple[Make, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(part for part in self.parts if isinstance(part, Figure))
