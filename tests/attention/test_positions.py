"""Positions, against sines and cosines one by one."""

from __future__ import annotations

import numpy as np
import pytest

from app.attention.positions import sinusoidal
from tests.attention import plain


@pytest.mark.parametrize(("n", "d_model"), [(1, 1), (7, 8), (300, 5), (4096, 2)])
def test_positions_equal_plain_loops(n: int, d_model: int) -> None:
    ours = sinusoidal(n, d_model)
    np.testing.assert_allclose(ours, plain.sinusoidal(n, d_model), rtol=0, atol=1e-12)


def test_the_first_position_is_zeros_and_ones_by_turns() -> None:
    np.testing.assert_array_equal(sinusoidal(3, 6)[0], [0, 1, 0, 1, 0, 1])


def test_a_position_does_not_depend_on_how_many_follow() -> None:
    np.testing.assert_array_equal(sinusoidal(9, 10)[:4], sinusoidal(4, 10))
