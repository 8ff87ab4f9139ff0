"""A chapter: its Markdown with computed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from attnscope.learn.chapter_text import ChapterText, Written, chapter_text
from attnscope.learn.parts import (
    Course,
    Figure,
    Hook,
    Make,
    Measured,
    Part,
    Prose,
    Rows,
    Table,
    Values,
)

T = TypeVar("T")


@dataclass(frozen=True)
class Chapter:
    """`name`: in its address, its message keys and the names of its Markdown files. `needs`:
    chapters to read first. `values`, `tables`: what to compute for a paragraph or table, by name;
    a pair is for English and for Chinese pages."""

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
            return self._placed(part)
        if isinstance(part, Prose) and part.key in self.values:
            values, zh = _by_language(self.values[part.key])
            return replace(part, values=values, zh=zh)
        if isinstance(part, Table) and part.name in self.tables:
            return Measured(part.name, part.columns, *_by_language(self.tables[part.name]))
        return part

    def _placed(self, hook: Hook) -> Figure | Course:
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
