"""Chapters: every part has its words, and every figure's question an answer."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pytest

from attnscope.learn import BY_NAME, CHAPTERS
from attnscope.learn.chapter_text import chapter_text
from attnscope.learn.exercises import compute_trace
from attnscope.learn.parts import Figure, Measured, Prose, Worked
from attnscope.trace.examples import examples
from attnscope.trace.stages import BY_NAME as STAGES
from attnscope.web.pages.learn import of_language
from tests.test_repo import messages


def test_chapters_are_named_by_their_addresses() -> None:
    assert len(BY_NAME) == len(CHAPTERS)


def test_both_languages_of_a_chapter_have_the_same_marks(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        english, chinese = (chapter_text(chapter.name, language) for language in ("en", "zh"))
        with subtests.test(chapter.name):
            for place, parts in enumerate(zip_longest(english.parts, chinese.parts)):
                assert parts[0] == parts[1], f"{chapter.name}.zh.md, block {place} of the page"
            assert english.messages.keys() == chinese.messages.keys()
            assert english.reasons == chinese.reasons, "another true choice"
            assert english.own_words == chinese.own_words
            assert english.terms == chinese.terms


def test_what_a_chapter_computes_has_a_place_on_its_page(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            figures = [part for part in chapter.parts if isinstance(part, Figure)]
            assert figures == list(chapter.figures)
            tables = {part.name for part in chapter.parts if isinstance(part, Measured)}
            assert tables == chapter.tables.keys()
            assert chapter.values.keys() <= {p.key for p in chapter.parts if isinstance(p, Prose)}
            assert chapter.course is None or chapter.course in chapter.parts


def test_a_block_that_is_no_mark_is_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    front = "---\ntitle: A\nabout: B\ngoals:\nsummary:\nterms:\n---\n"
    cases = {
        "hook": f"{front}[[figur:causal]]\n",
        "item": f"{front}## sum\n\nHow many?\n\n- hint\n- worked = 3\n",
        "title": front.replace("title: A\n", ""),
        "front": "A page without a front matter.\n",
    }
    for name, text in cases.items():
        with subtests.test(name):
            (tmp_path / f"{name}.en.md").write_text(text, encoding="utf-8")
            with pytest.raises(ValueError, match=rf"{name}\.en\.md: "):
                chapter_text(name, folder=tmp_path)


def test_every_number_that_a_paragraph_names_is_there(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            for part in chapter.parts:
                if isinstance(part, Prose):
                    for language in ("en", "zh"):
                        values = of_language(part.values, part.zh, language)()
                        text = messages(language)[f"learn.{chapter.name}.{part.key}"]
                        assert "{" not in text.format_map(values)
                    assert not part.leads_to or part.leads_to in BY_NAME
                if isinstance(part, Measured):
                    for rows in (part.rows, part.zh or part.rows):
                        assert {len(row) for row in rows()} == {part.columns}


def test_every_figure_has_numbers_to_draw(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            assert chapter.figures
            assert len({figure.name for figure in chapter.figures}) == len(chapter.figures)
            for figure in chapter.figures:
                body = {"text": "The cat sat on the mat"} if figure.own else {}
                trace = compute_trace({**body, **figure.question})
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
