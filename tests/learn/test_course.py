"""The course has parts, and each chapter goals, a time, chapters to read before, and a summary."""

from __future__ import annotations

from itertools import chain, product

import pytest

from attnscope.learn import BY_NAME, CHAPTERS
from attnscope.learn.course import NEEDS, PARTS, course, minutes
from tests.test_repo import messages

NAMES = [chapter.name for chapter in CHAPTERS]


def test_the_parts_hold_every_chapter_in_reading_order() -> None:
    assert [name for names in PARTS.values() for name in names] == NAMES
    assert list(chain.from_iterable(course().values())) == list(CHAPTERS)


def test_a_chapter_needs_earlier_ones() -> None:
    assert set(NEEDS) == set(NAMES[1:])
    for name, needed in NEEDS.items():
        assert needed
        assert all(NAMES.index(each) < NAMES.index(name) for each in needed), name


def test_every_chapter_has_goals_and_a_summary_of_three_lines(subtests: pytest.Subtests) -> None:
    for name, language in product(NAMES, ("en", "zh")):
        with subtests.test(name, language=language):
            said = messages(language)
            count = {
                kind: sum(key.startswith(f"course.{kind}.{name}.") for key in said)
                for kind in ("goal", "short")
            }
            assert 2 <= count["goal"] <= 3
            assert count["short"] == 3


def test_a_chapter_takes_minutes_by_its_words_figures_and_exercises() -> None:
    words = messages("en")
    taken = {name: minutes(BY_NAME[name], words) for name in NAMES}
    assert all(time % 5 == 0 and 5 <= time <= 30 for time in taken.values()), taken
    assert taken["asking"] < taken["scores"]
