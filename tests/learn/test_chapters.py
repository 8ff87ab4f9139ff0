"""Chapters: every part has its words, and every figure's question an answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from attnscope.learn import BY_NAME, CHAPTERS
from attnscope.learn.exercises import traced
from attnscope.learn.parts import Chapter, Figure, Lines, Measured, Prose, Table, Worked
from attnscope.trace.examples import examples
from attnscope.trace.stages import BY_NAME as STAGES
from attnscope.web.pages.learn import of_language
from tests.test_repo import messages


def keys(chapter: Chapter) -> Iterator[str]:
    """What a chapter says, below `learn.<chapter>.`."""
    yield from ("title", "about")
    for part in chapter.parts:
        if isinstance(part, Prose):
            yield part.key
        elif isinstance(part, Figure):
            yield f"figure.{part.name}"
        elif isinstance(part, Lines):
            yield from (f"{part.name}.{stage}" for stage in part.stages)
        elif isinstance(part, Measured):
            yield from (f"{part.name}.{column}" for column in part.columns)
        elif isinstance(part, Table):
            cells = ((row, column) for row in range(part.rows) for column in range(part.columns))
            yield from (f"{part.name}.{row}.{column}" for row, column in cells)


def test_chapters_are_named_by_their_addresses() -> None:
    assert len(BY_NAME) == len(CHAPTERS)


def test_a_chapter_says_what_its_parts_say_and_nothing_else(subtests: pytest.Subtests) -> None:
    for chapter, language in product(CHAPTERS, ("en", "zh")):
        with subtests.test(chapter.name, language=language):
            start = f"learn.{chapter.name}."
            written = {key for key in messages(language) if key.startswith(start)}
            assert written == {start + key for key in keys(chapter)}


def test_every_number_that_a_paragraph_tells_is_there(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            for part in chapter.parts:
                if isinstance(part, Prose):
                    for language in ("en", "zh"):
                        values = of_language(part.values, part.zh, language)()
                        told = messages(language)[f"learn.{chapter.name}.{part.key}"]
                        assert "{" not in told.format_map(values)
                    assert not part.leads_to or part.leads_to in BY_NAME
                if isinstance(part, Measured):
                    for rows in (part.rows, part.zh or part.rows):
                        assert {len(row) for row in rows()} == {len(part.columns)}


def test_every_figure_has_numbers_to_draw(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            assert chapter.figures
            assert len({figure.name for figure in chapter.figures}) == len(chapter.figures)
            for figure in chapter.figures:
                body = {"text": "The cat sat on the mat"} if figure.own else {}
                trace = traced({**body, **figure.question})
                for stage in figure.stages:
                    assert stage in STAGES
                    assert trace.layers[figure.look.get("layer", 0)][stage].size
                assert bool(figure.stages) == (figure.view in ("cards", "training"))


def test_worked_examples_exist_and_there_is_something_to_predict(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            known = {example.id for example in examples()}
            assert {part.example for part in chapter.parts if isinstance(part, Worked)} <= known
            assert len(chapter.exercises) >= 2, "add an exercise"
