"""Exercises ask: no answer is so common that it can be given without reading the task."""

from __future__ import annotations

from collections import Counter

import pytest

from app.learn import CHAPTERS
from app.learn.exercises import exercises, shown
from app.learn.parts import Chapter

MOST = 0.7


def common_answers(chapter: Chapter, seeds: range) -> list[str]:
    """The exercises of a chapter with an answer that is right under more than MOST of the seeds."""
    drawn = [exercises(chapter, seed) for seed in seeds]
    found = []
    for make, posed in zip(chapter.exercises, zip(*drawn, strict=True), strict=True):
        ((answer, times),) = Counter(map(shown, posed)).most_common(1)
        if times > MOST * len(seeds):
            found.append(f"{make.__name__}: {answer} {times} times")
    return found


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_no_answer_is_right_nearly_always(chapter: Chapter) -> None:
    assert common_answers(chapter, range(10)) == []


@pytest.mark.full
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_no_answer_is_right_nearly_always_under_40_seeds(chapter: Chapter) -> None:
    assert common_answers(chapter, range(40)) == []
