"""On Chinese pages the sentences are Chinese: in figures as many words, in exercises too."""

from __future__ import annotations

import re

import pytest

from attnscope.learn import BY_NAME, CHAPTERS
from attnscope.learn.exercises import compute_trace, exercises
from attnscope.learn.parts import Prose
from attnscope.web.pages.learn import figures, of_language
from tests.test_repo import messages

WORDS = re.compile(r"\b(?:cats|dogs|drink|eat|fish|like|milk)\b")

# Separated by the comma of English prose; not inside brackets, as of a formula.
NUMBERS = re.compile(r"\d, [^()\[\]]*\d\b(?![^(\[]*[)\]])")
QUOTED = {"The cat sat on the mat", "love eating pizza", "Vaswani et al"}


def test_the_figures_that_have_chinese_words_have_as_many() -> None:
    found = 0
    for chapter in CHAPTERS:
        for figure in chapter.figures:
            if not figure.zh:
                continue
            if "model" in figure.zh:  # another model, with a text of its own
                words = {name: each for name, each in figure.zh.items() if name != "look"}
                own = {"text": "小动物"} if figure.own else {}
                assert compute_trace({**figure.question, **own, **words}).plan.n
                continue
            found += 1
            plans = [compute_trace({**figure.question, **words}).plan for words in ({}, figure.zh)]
            assert len({(plan.n, plan.m) for plan in plans}) == 1, figure.name
            assert plans[0].words.lengths == plans[1].words.lengths
    assert found >= 9
    drawn = figures(BY_NAME["layers"], "zh")["trained"]
    assert drawn["question"]["model"]["name"] == "echo-zh"
    assert drawn["look"] != figures(BY_NAME["layers"], "en")["trained"]["look"]
    assert figures(BY_NAME["cross"], "zh")["cross"]["question"]["text"] == "猫坐"
    assert figures(BY_NAME["cross"], "en")["cross"]["question"]["text"] == "The cat"


def test_exercises_draw_their_words_from_the_readers_language(subtests: pytest.Subtests) -> None:
    for chapter in CHAPTERS:
        with subtests.test(chapter.name):
            made = exercises(chapter, 0, "zh")
            for each in made:
                texts = [
                    *map(str, each.values.values()),
                    *each.choices,
                    str(each.answer),
                    str(each.question),
                ]
                assert not [text for text in texts if WORDS.search(text)], each.kind
                lists = map(str, (*each.values.values(), *each.worked.values()))
                assert not [text for text in lists if NUMBERS.search(text)], each.kind
            assert made == exercises(chapter, 0, "zh")


def test_no_figure_asks_a_model_in_english_where_the_page_is_chinese(
    subtests: pytest.Subtests,
) -> None:
    for chapter in CHAPTERS:
        for name, figure in figures(chapter, "zh").items():
            question = figure["question"]
            with subtests.test(chapter.name, figure=name):
                if question.get("model", {}).get("name") == "echo":
                    assert not re.search("[A-Za-z]", question["text"])


def test_chinese_prose_and_values_have_no_english_sentence(subtests: pytest.Subtests) -> None:
    english = re.compile(r"(?:[A-Za-z][a-z]+,? ){2,}[A-Za-z][a-z]+")
    for chapter in CHAPTERS:
        for part in chapter.parts:
            if isinstance(part, Prose):
                with subtests.test(chapter.name, key=part.key):
                    values = of_language(part.values, part.zh, "zh")()
                    text = messages("zh")[f"learn.{chapter.name}.{part.key}"].format_map(values)
                    assert set(english.findall(text)) <= QUOTED
