"""Exercises ask: no answer is so common that it can be given without reading the task."""

from __future__ import annotations

from collections import Counter

import pytest

from app.learn import CHAPTERS
from app.learn.exercises import exercises, shown
from app.learn.parts import Chapter

SEEDS = range(40)
MOST = 0.7


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_no_answer_is_right_nearly_always(chapter: Chapter) -> None:
    drawn = [exercises(chapter, seed) for seed in SEEDS]
    for make, posed in zip(chapter.exercises, zip(*drawn, strict=True), strict=True):
        ((answer, times),) = Counter(map(shown, posed)).most_common(1)
        assert times <= MOST * len(SEEDS), f"{make.__name__}: {answer} {times} times"
