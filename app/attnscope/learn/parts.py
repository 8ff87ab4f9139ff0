from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Body = Mapping[str, Any]  # a request body of POST /attention
Values = Callable[[], Mapping[str, str]]  # computes values of a message
Rows = Callable[[], list[list[str]]]


@dataclass(frozen=True)
class Prose:
    """The message `learn.<chapter>.<key>` with values.

    `leads_to`: chapter of the link at its end. `apart`: not beside the figure above, as the
    paragraph belongs to the next part.
    """

    key: str
    leads_to: str = ""
    apart: bool = False
    values: Values = dict
    zh: Values | None = None  # on Chinese pages


@dataclass(frozen=True)
class Formula:
    latex: str


@dataclass(frozen=True)
class Figure:
    """A question drawn by a view, with the caption `learn.<chapter>.figure.<name>`.

    A question without text, tokens or x gets the reader's sentence. `look`: the initial view (head,
    layer, cell …). `knobs`: fields of `question` or `look` that readers may change. `zh`: fields
    that replace those of `question` on Chinese pages; `zh["look"]` replaces fields of `look`.
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
class StageCode:
    """Code of a stage in each programming language."""

    stage: str
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Program(Figure):
    """Cards beside their code. Languages are named by the messages `live.language.<name>`."""

    languages: tuple[str, ...] = ()
    steps: tuple[StageCode, ...] = ()


@dataclass(frozen=True)
class Worked:
    """Published numbers of an example beside computed ones."""

    example: str


@dataclass(frozen=True)
class Table:
    """The messages `learn.<chapter>.<name>.<row>.<column>`; the first row is the header."""

    name: str
    rows: int
    columns: int


@dataclass(frozen=True)
class Measured:
    """Computed rows, each with its header in the first cell."""

    name: str
    columns: int
    rows: Rows
    zh: Rows | None = None  # on Chinese pages


@dataclass(frozen=True)
class Course:
    """Measurements during the training of a shipped model. `live.course.<name>` names a column."""

    model: str
    columns: tuple[str, ...]
    every: int = 1  # every n-th row, and the last
    zh: str = ""  # the model on Chinese pages


@dataclass(frozen=True)
class Lines:
    """Lines that the reader writes, introduced by `learn.<chapter>.<name>.<stage>`."""

    name: str
    stages: tuple[str, ...]


@dataclass(frozen=True)
class Hook:
    """Place of a figure or course."""

    kind: str
    name: str


Part = Prose | Formula | Figure | Worked | Table | Measured | Course | Lines


@dataclass(frozen=True)
class Given:
    """Numbers that the task shows. `name`: stage or parameter."""

    name: str
    values: list[list[float]]


@dataclass(frozen=True)
class Exercise:
    """The task is the message `exercise.<kind>` with `values`, or `task` if tasks of a kind differ
    in more than values. A wrong answer shows `exercise.<kind>.hint`, a second one `.worked`, which
    may also use `worked` and `answer`.

    The answer is a number, rounded to `decimals`, or one of the `choices`, which may be message
    keys. A `share`, from 0 to 1, may be given in percent. `slips`: results of likely mistakes, by
    name of the message `practice.near.<name>`. `replies`: wrong choice → key of a message why.
    `question` opens in Explore. `open`: the reader writes a sentence, which is not marked; `answer`
    is the key of a model answer. `name` is unique in the chapter, and the same for every seed.
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
