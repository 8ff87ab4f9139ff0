"""The course has parts, and each chapter goals, a time, chapters to read before, and a summary."""

from __future__ import annotations

import re
from itertools import product

import pytest

from attnscope.learn import BY_NAME, CHAPTERS
from attnscope.learn.chapter import minutes
from attnscope.learn.parts import Lines, Prose
from tests.test_repo import messages

NAMES = [chapter.name for chapter in CHAPTERS]


def test_a_chapter_needs_earlier_ones() -> None:
    for place, chapter in enumerate(CHAPTERS):
        assert bool(chapter.needs) == bool(place), chapter.name
        assert set(chapter.needs) <= set(NAMES[:place]), chapter.name


def test_every_chapter_has_goals_and_a_summary_of_three_lines(subtests: pytest.Subtests) -> None:
    for name, language in product(NAMES, ("en", "zh")):
        with subtests.test(name, language=language):
            said = messages(language)
            count = {
                kind: sum(key.startswith(f"course.{kind}.{name}.") for key in said)
                for kind in ("goal", "short")
            }
            assert 2 <= count["goal"] <= 3, f"write two or three goals in {name}.{language}.md"
            assert count["short"] == 3, f"write a summary of three lines in {name}.{language}.md"


def test_a_chapter_takes_minutes_by_its_words_figures_and_exercises() -> None:
    words = messages("en")
    taken = {name: minutes(BY_NAME[name], words) for name in NAMES}
    assert all(time % 5 == 0 and 5 <= time <= 30 for time in taken.values()), taken
    assert taken["asking"] < taken["scores"]


def test_the_minutes_are_right_within_a_third_for_readers_of_both_languages() -> None:
    """180 words or 300 characters a minute, 2.5 minutes an exercise, half a minute a figure."""
    words, signs = messages("en"), messages("zh")
    for chapter in CHAPTERS:
        prose = [part.key for part in chapter.parts if isinstance(part, Prose)]
        keys = [f"learn.{chapter.name}.{key}" for key in prose]
        typed = sum(len(part.stages) for part in chapter.parts if isinstance(part, Lines))
        doing = 2.5 * (len(chapter.exercises) + typed + 1) + 0.5 * len(chapter.figures)
        english = sum(len(words[key].split()) for key in keys) / 180
        chinese = sum(len(re.findall("[\u4e00-\u9fff]", signs[key])) for key in keys) / 300
        for reading in (english, chinese):
            assert 2 / 3 < minutes(chapter, words) / (doing + reading) < 4 / 3, chapter.name
