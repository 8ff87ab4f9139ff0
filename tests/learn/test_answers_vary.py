"""No answer of an exercise is so common that it can be given without reading the task."""

from __future__ import annotations

from collections import Counter

import pytest

from attnscope.learn import CHAPTERS
from attnscope.learn.chapter import Chapter
from attnscope.learn.exercises import format_answer
from tests.learn.posed import posed

MOST = 0.7
FEW, MANY = range(10), range(40)


def common_answers(chapter: Chapter, seeds: range) -> list[str]:
    """The exercises of a chapter with an answer that is right under more than MOST of the seeds."""
    drawn = [posed(chapter.name, seed) for seed in seeds]
    found = []
    for make, each in zip(chapter.exercises, zip(*drawn, strict=True), strict=True):
        ((answer, times),) = Counter(map(format_answer, each)).most_common(1)
        if times > MOST * len(seeds):
            found.append(f"{make.__name__}: {answer} {times} times")
    return found


@pytest.mark.parametrize("few", [FEW, pytest.param(MANY, marks=pytest.mark.full)])
def test_no_answer_is_right_nearly_always(few: range) -> None:
    """Ten seeds may agree by chance: what they find is tried again with many."""
    suspected = [chapter for chapter in CHAPTERS if common_answers(chapter, few)]
    found = {chapter.name: common_answers(chapter, MANY) for chapter in suspected}
    assert {name: answers for name, answers in found.items() if answers} == {}
