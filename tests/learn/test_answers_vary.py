"""Exercises ask: no answer is so common that it can be given without reading the task."""

from __future__ import annotations

from collections import Counter

import pytest

from attnscope.learn import CHAPTERS
from attnscope.learn.exercises import shown
from attnscope.learn.parts import Chapter
from tests.learn.posed import posed

MOST = 0.7


def common_answers(chapter: Chapter, seeds: range) -> list[str]:
    """The exercises of a chapter with an answer that is right under more than MOST of the seeds,
    beyond one standard deviation of a drawn share."""
    deviation = (MOST * (1 - MOST) * len(seeds)) ** 0.5
    drawn = [posed(chapter.name, seed) for seed in seeds]
    found = []
    for make, each in zip(chapter.exercises, zip(*drawn, strict=True), strict=True):
        ((answer, times),) = Counter(map(shown, each)).most_common(1)
        if times > MOST * len(seeds) + deviation:
            found.append(f"{make.__name__}: {answer} {times} times")
    return found


@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(40), marks=pytest.mark.full)])
def test_no_answer_is_right_nearly_always(seeds: range) -> None:
    assert {
        chapter.name: found for chapter in CHAPTERS if (found := common_answers(chapter, seeds))
    } == {}
