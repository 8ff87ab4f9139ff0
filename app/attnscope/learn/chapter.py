"""A chapter: Markdown with computed values, thumbnail and reading time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from attnscope.learn.chapter_text import ChapterText, Written, chapter_text
from attnscope.learn.parts import (
    Course,
    Figure,
    Hook,
    Lines,
    Make,
    Measured,
    Part,
    Prose,
    Rows,
    Table,
    Values,
)
from attnscope.trace.trace import Trace

T = TypeVar("T")


@dataclass(frozen=True)
class Chapter:
    """`name`: in the address, the message keys and the names of the Markdown files. `needs`:
    chapters to read first. `values`: paragraph → function of its values. `tables`: table →
    function of its rows. A pair: for English and for Chinese pages."""

    name: str
    needs: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    values: Mapping[str, Values | tuple[Values, Values]] = field(default_factory=dict)
    tables: Mapping[str, Rows | tuple[Rows, Rows]] = field(default_factory=dict)
    course: Course | None = None
    exercises: tuple[Make, ...] = ()

    @property
    def text(self) -> ChapterText:
        return chapter_text(self.name)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return tuple(self._computed(part) for part in self.text.parts)

    def _computed(self, part: Written) -> Part:
        if isinstance(part, Hook):
            return self._figure_or_course(part)
        if isinstance(part, Prose) and part.key in self.values:
            values, zh = _by_language(self.values[part.key])
            return replace(part, values=values, zh=zh)
        if isinstance(part, Table) and part.name in self.tables:
            return Measured(part.name, part.columns, *_by_language(self.tables[part.name]))
        return part

    def _figure_or_course(self, hook: Hook) -> Figure | Course:
        if hook.kind == "course" and self.course and self.course.model == hook.name:
            return self.course
        for figure in self.figures:
            if (hook.kind, hook.name) == ("figure", figure.name):
                return figure
        raise ValueError(f"{self.name}.md names the {hook.kind} {hook.name}, which is not there")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the exercises. Browsers store progress by exercise name."""
        return tuple(make.__name__ for make in self.exercises)


def _by_language(made: T | tuple[T, T]) -> tuple[T, T | None]:
    return made if isinstance(made, tuple) else (made, None)


THUMBNAIL_SIDE = 32  # most rows and columns of a thumbnail


@dataclass(frozen=True)
class Thumbnail:
    figure: Figure
    stage: str

    def values(self, trace: Trace) -> np.ndarray:
        """Cells [row, column]; closed weights are −∞."""
        look = self.figure.look
        layer = trace.layers[look.get("layer", 0)]
        array = layer[self.stage][0]
        if self.stage == "weights":  # a weight of 0 may be an open cell
            array = np.where(np.isneginf(layer["masked_scores"][0]), -np.inf, array)
        if array.ndim == 3:  # first axis: heads, or key/value heads, which may be fewer
            array = array[min(look.get("head", 0), len(array) - 1)]
        return np.ascontiguousarray(array[:THUMBNAIL_SIDE, :THUMBNAIL_SIDE].astype(float).round(4))


def thumbnail_of(chapter: Chapter) -> Thumbnail:
    """Pinned or last stage of the first figure with stages; else weights of the first figure."""
    drawn = [figure for figure in chapter.figures if figure.stages]
    if not drawn:
        return Thumbnail(chapter.figures[0], "weights")
    stage, *_ = drawn[0].look.get("cell", drawn[0].stages[-1:])
    return Thumbnail(drawn[0], stage)


# Words read per minute, minutes per figure, minutes per exercise or line.
WORDS_PER_MINUTE, MINUTES_PER_FIGURE, MINUTES_PER_TASK = 150, 1, 2


def minutes(chapter: Chapter, words: Mapping[str, str]) -> int:
    """Reading time, a multiple of five. `words`: English messages."""
    prose = [part.key for part in chapter.parts if isinstance(part, Prose)]
    read = sum(len(words[f"learn.{chapter.name}.{key}"].split()) for key in prose)
    lines = sum(len(part.stages) for part in chapter.parts if isinstance(part, Lines))
    spent = (
        read / WORDS_PER_MINUTE
        + len(chapter.figures) * MINUTES_PER_FIGURE
        + (len(chapter.exercises) + lines) * MINUTES_PER_TASK
    )
    return 5 * math.ceil(spent / 5)
