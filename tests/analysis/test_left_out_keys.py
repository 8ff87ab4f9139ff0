"""Weights without some keys."""

from __future__ import annotations

import numpy as np

from attnscope.analysis.left_out_keys import without_keys


def test_each_row_is_divided_by_what_is_left_of_it() -> None:
    weights = np.array([[1, 0, 0], [0.75, 0.25, 0], [0.8, 0.05, 0.15]], np.float32)
    past = without_keys(weights, (0, 7))
    assert past.dtype == np.float64
    wanted = np.array([[0, 0, 0], [0, 1, 0], [0, 0.25, 0.75]])
    np.testing.assert_allclose(past, wanted, atol=1e-7)
    np.testing.assert_array_equal(without_keys(weights[None], (0, 1, 2))[0], np.zeros((3, 3)))
