"""Scaling: what the chapter says of spreads and rows is what the engine computes."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.learn.chapters.scaling import norm_rows, wide
from attnscope.learn.chapters.scores import first_row, given_scores
from attnscope.learn.exercises import stage

TEXT = {"text": "The animal didn't cross the street because it was too tired."}


def test_scores_spread_fourfold_for_sixteen_times_the_width_and_scaled_ones_stay() -> None:
    spreads = {}
    for name in ("scores", "scaled_scores"):
        bodies = [{**wide(d_k, "sqrt_d_k"), **TEXT} for d_k in (4, 64, 1024)]
        spreads[name] = np.array([stage(body, name).std() for body in bodies])
    np.testing.assert_allclose(spreads["scores"][1:] / spreads["scores"][:-1], 4, rtol=0.1)
    np.testing.assert_allclose(spreads["scaled_scores"] / spreads["scaled_scores"][0], 1, atol=0.2)


def test_without_scaling_a_wide_head_takes_one_key() -> None:
    sharp, soft = ({**wide(256, scale), **TEXT} for scale in ("none", "sqrt_d_k"))
    assert np.median(stage(sharp, "weights").max(axis=-1)) > 0.999
    assert np.median(stage(soft, "weights").max(axis=-1)) < 0.6


@pytest.mark.parametrize(
    ("row", "printed"),
    [([1.0, 0.1, 0.2], [0.54, 0.22, 0.24]), ([8.84, 0.09, 0.18], [0.9997, 0.0002, 0.0002])],
)
def test_the_rows_of_the_text_are_computed(row: list[float], printed: list[float]) -> None:
    decimals = 2 if printed[0] < 0.9 else 4
    weights = stage(given_scores(first_row(row)), "weights")[0, 0]
    np.testing.assert_array_equal(weights.round(decimals), printed)
    np.testing.assert_array_equal((np.array([100, 1, 2]) / 128**0.5).round(2), [8.84, 0.09, 0.18])


def test_the_scale_measures_nothing_and_a_norm_does() -> None:
    rows = [[float(cell) for cell in row] for row in norm_rows()]
    for factor, spread, largest, normed, normed_largest in rows:
        assert spread == pytest.approx(rows[0][1] * factor**2, rel=0.01)
        assert (normed, normed_largest) == (rows[0][3], rows[0][4])
        assert largest >= rows[0][2]
    assert rows[-1][2] > 0.9
