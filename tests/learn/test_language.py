"""On Chinese pages the sentences are Chinese: in figures as many words, in exercises too."""

from __future__ import annotations

import re

import pytest

from attnscope.learn import BY_NAME, CHAPTERS
from attnscope.learn.exercises import exercises, traced
from attnscope.web.pages.learn import figures

WORDS = re.compile(r"\b(?:cats|dogs|drink|eat|fish|like|milk)\b")


def test_the_figures_that_have_chinese_words_have_as_many() -> None:
    found = 0
    for chapter in CHAPTERS:
        for figure in chapter.figures:
            if not figure.zh:
                continue
            if "model" in figure.zh:  # another model, with a text of its own
                words = {name: each for name, each in figure.zh.items() if name != "look"}
                assert traced({**figure.question, **words}).plan.n
                continue
            found += 1
            plans = [traced({**figure.question, **words}).plan for words in ({}, figure.zh)]
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
                told = [
                    *map(str, each.values.values()),
                    *each.choices,
                    str(each.answer),
                    str(each.question),
                ]
                assert not [text for text in told if WORDS.search(text)], each.kind
            assert made == exercises(chapter, 0, "zh")
