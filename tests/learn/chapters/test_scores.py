"""Scores: linear on each side; and keys that are nearest in other ways."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attnscope.learn.chapters.scores import QUERY, agreeing, linear, measure_rows, measured
from attnscope.learn.exercises import stage


def test_scores_of_a_sum_are_the_sum_of_scores_and_weights_are_not() -> None:
    scores, weights = stage(linear(), "scores")[0], stage(linear(), "weights")[0]
    for rows in (scores, scores.T):
        np.testing.assert_array_equal(rows[2], rows[0] + rows[1])
        np.testing.assert_array_equal(rows[3], 2 * rows[0])
    assert np.abs(weights[2] - weights[0] - weights[1]).max() > 0.5


def test_each_key_is_the_nearest_in_one_way() -> None:
    dots, cosines, distances = (
        [float(row[at]) for row in measure_rows()] for at in (1, 2, 3)
    )  # fmt: skip
    assert (cosines.index(max(cosines)), dots.index(max(dots))) == (0, 1)
    assert distances.index(min(distances)) == 2
    q = np.array([QUERY])
    for row in measure_rows():
        key = [float(n.replace("−", "-")) for n in row[0].split("(")[1].strip(")").split(", ")]
        assert float(row[3]) == pytest.approx(math.dist(QUERY, key), abs=0.005)
        assert float(row[1]) == pytest.approx(float((q @ key)[0]), abs=0.005)


def test_a_softmax_of_distances_holds_long_keys_back() -> None:
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((3, 4)), rng.standard_normal((5, 4))
    found = measured(q, k)
    apart = -0.5 * found["distance"] ** 2 - (found["dot"] - 0.5 * (k**2).sum(axis=1))
    np.testing.assert_allclose(apart, apart[:, :1] * np.ones(5), atol=1e-12)  # the same along a row


def test_the_ways_agree_in_some_rows_and_not_in_all() -> None:
    counts = {name: int(count) for name, count in agreeing().items() if name != "query"}
    assert counts["rows"] == 20 * 4 * 9
    assert counts["rows"] > counts["cosine"] > counts["distance"] > counts["rows"] / 9
