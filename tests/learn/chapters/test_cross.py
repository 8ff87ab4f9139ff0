"""Cross: a question finds its answer in an article."""

from __future__ import annotations

import math

import pytest

from attnscope.learn.chapters.cross import ARTICLE, article_values
from attnscope.learn.exercises import stage


def test_the_question_finds_what_fits_in_both_columns() -> None:
    scores = stage(ARTICLE, "scores")[0, -1]
    assert scores.tolist() == [3, 0, 6, 0, 0, 0, 3]
    total = math.exp(6) + 2 * math.exp(3) + 4
    weights = {name: float(number) for name, number in article_values().items()}
    assert weights["bamboo"] == weights["plant"] == pytest.approx(math.exp(6) / total, abs=0.0005)
    assert weights["pandas"] == weights["meat"] == weights["flesh"] == pytest.approx(
        math.exp(3) / total, abs=0.0005
    )  # fmt: skip
