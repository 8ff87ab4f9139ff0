"""The weighted sum: copies, means, and the slip of the worked example."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.learn.chapters.heads import OUTING
from attnscope.learn.chapters.weighted_sum import TWO, outing_rows, within_reach
from attnscope.learn.exercises import stage

CRAFTED = {"text": "The cat sat on a mat", "model": {"source": "crafted", "name": "all"}}


def test_a_head_that_looks_back_copies_and_a_level_one_averages() -> None:
    v, outputs = stage(CRAFTED, "v"), stage(CRAFTED, "head_outputs")
    np.testing.assert_allclose(outputs[0, 1:], v[0, :-1], atol=1e-4)
    count = np.arange(1, 7)[:, None]
    np.testing.assert_allclose(outputs[3], v[3].cumsum(axis=0) / count, atol=1e-12)


def test_no_output_leaves_the_range_of_its_column_of_v() -> None:
    v, outputs = stage(CRAFTED, "v"), stage(CRAFTED, "head_outputs")
    assert (outputs <= v.max(axis=1, keepdims=True) + 1e-12).all()
    assert (outputs >= v.min(axis=1, keepdims=True) - 1e-12).all()


def test_the_example_put_right_in_the_text_is_computed() -> None:
    one_head = {**OUTING, "model": {**OUTING["model"], "num_heads": 1}}
    weights, output = (stage(one_head, name)[0, 0] for name in ("weights", "head_outputs"))
    np.testing.assert_array_equal(weights[[0, 2]].round(3), [0.506, 0.186])
    assert round(float(output[2]), 2) == 0.81


def test_two_keys_are_mixed_number_by_number() -> None:
    weights, outputs = (stage(TWO, name)[0] for name in ("weights", "head_outputs"))
    np.testing.assert_allclose(weights, [[0.7, 0.3], [0.5, 0.5]])
    np.testing.assert_allclose(outputs, [[1.4, 1.2, 0.4], [1.0, 2, 0]], atol=1e-12)


def test_the_columns_of_the_outing_are_weighted_sums() -> None:
    *rows, output = outing_rows()
    for column in range(2, 6):
        total = sum(float(row[1]) * float(row[column]) for row in rows)
        assert float(output[column]) == pytest.approx(total, abs=0.002)
    assert output[4] == "0.814"  # the family


def test_what_is_within_reach_is_not_an_end_of_the_range() -> None:
    for seed in range(40):
        exercise = within_reach(np.random.default_rng(seed))
        low, high = exercise.worked["low"], exercise.worked["high"]
        assert low < int(exercise.answer) < high
