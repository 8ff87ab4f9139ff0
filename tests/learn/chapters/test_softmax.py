"""Softmax: the rows put right in the chapter, and which rows are alike."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attnscope.learn.chapters.scores import first_row, given_scores
from attnscope.learn.chapters.softmax import SHIFTED, STRETCHED, back, score_difference
from attnscope.learn.exercises import stage


def test_rows_with_the_same_differences_have_the_same_weights() -> None:
    weights = stage(given_scores(SHIFTED), "weights")[0]
    np.testing.assert_allclose(weights, weights[:1].repeat(3, axis=0), rtol=1e-12)


def test_stretched_rows_are_sharper() -> None:
    largest = stage(given_scores(STRETCHED), "weights")[0].max(axis=-1)
    assert (np.diff(largest) > 0).all()


def test_the_rows_put_right_in_the_text_are_computed() -> None:
    pizza = stage(given_scores(first_row([0.1, 0.8, 0.6, 0.9])), "weights")[0, 0]
    np.testing.assert_array_equal(pizza.round(2), [0.15, 0.29, 0.24, 0.32])
    assert round(float(pizza[3] / pizza[0]), 2) == 2.23
    scores = [0.8, 1.2, -0.5, 0.3, 1.0, 0.1]
    translation = stage(given_scores(first_row(scores)), "weights")[0, 0]
    np.testing.assert_array_equal(translation[[1, 4]].round(2), [0.29, 0.24])


def test_float64_ends_where_the_text_says() -> None:
    weights = stage(given_scores(first_row([0.0, -750.0, -700.0])), "weights")[0, 0]
    assert weights[0] == 1
    assert weights[1] == 0 < weights[2]
    alike = stage(given_scores(first_row([0.0, 1e-17])), "weights")[0, 0]
    assert alike[0] == alike[1]


def test_scores_as_far_apart_as_the_printed_weights_make_them_again() -> None:
    np.testing.assert_allclose(
        stage(back(), "weights")[0], [[1.0, 0], [0.61173, 0.38827]], atol=1e-9
    )
    assert float(score_difference()["difference"]) == pytest.approx(0.45459, abs=5e-5)
    assert math.exp(0.45459) / (1 + math.exp(0.45459)) == pytest.approx(0.61173, abs=5e-6)
