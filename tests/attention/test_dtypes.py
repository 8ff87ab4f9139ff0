"""Rounding to half precision, held to exact fractions and to numpy's own float16."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnscope.attention.architecture import Parameters
from attnscope.attention.dtypes import GRIDS, Grid, round_to_grid, stored_dtype
from attnscope.attention.ops import gelu_tanh, layer_norm, softmax
from attnscope.attention.positions import rotate
from attnscope.attention.products import project

FRACTION_BITS = {"float16": 10, "bfloat16": 7}
SMALLEST_EXPONENT = {"float16": -14, "bfloat16": -126}
LARGEST = {"float16": 65504.0, "bfloat16": float.fromhex("0x1.fep127")}
FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)


def nearest(x: float, grid: Grid) -> float:
    """The nearest number of the grid in exact arithmetic, ties to even."""
    if x == 0:
        return 0.0
    exponent = max(np.frexp(abs(x))[1] - 1, SMALLEST_EXPONENT[grid])
    unit = Fraction(2) ** int(exponent - FRACTION_BITS[grid])
    rounded = round(Fraction(x) / unit) * unit  # Python rounds fractions half to even
    if abs(rounded) > Fraction(LARGEST[grid]):
        return float(np.copysign(np.inf, x))
    return float(rounded)


@pytest.mark.parametrize("grid", GRIDS.values())
@given(FLOATS)
def test_a_number_becomes_the_nearest_of_the_grid(grid: Grid, x: float) -> None:
    a = np.array([x], np.float32)
    assert round_to_grid(a, grid) is a
    assert a[0] == nearest(x, grid)
    again = a.copy()
    np.testing.assert_array_equal(round_to_grid(again, grid), a)


@pytest.mark.parametrize("grid", GRIDS.values())
def test_ties_go_to_the_even_neighbour(grid: Grid) -> None:
    step = 2.0 ** -FRACTION_BITS[grid]
    a = np.array([1 + step / 2, 1 + 3 * step / 2, -1 - step / 2], np.float32)
    np.testing.assert_array_equal(round_to_grid(a, grid), [1, 1 + 2 * step, -1])


@pytest.mark.parametrize("grid", GRIDS.values())
def test_nothing_infinity_and_minus_zero_stay(grid: Grid) -> None:
    a = round_to_grid(np.array([np.nan, np.inf, -np.inf, -0.0, 3.4e38], np.float32), grid)
    assert np.isnan(a[0])
    np.testing.assert_array_equal(a[1:], [np.inf, -np.inf, 0.0, np.inf])
    assert np.signbit(a[3])


def test_float16_is_numpys() -> None:
    a = np.random.default_rng(0).standard_normal(10_000, np.float32) * np.float32(1e3)
    expected = a.astype(np.float16)
    np.testing.assert_array_equal(round_to_grid(a, "float16"), expected)


@pytest.mark.parametrize("grid", GRIDS.values())
def test_a_part_of_an_array_is_rounded_in_its_place(grid: Grid) -> None:
    a = np.full((4, 6), 1.00001, np.float32)
    round_to_grid(a[1:3, 2:4], grid)
    assert (a == 1).sum() == 4


def test_without_a_grid_nothing_is_touched() -> None:
    a = np.array([1 / 3])
    assert round_to_grid(a, None) is a
    assert a[0] == 1 / 3
    assert (stored_dtype("float64"), stored_dtype("float16")) == (np.float64, np.float32)


@pytest.mark.parametrize("grid", GRIDS.values())
def test_parameters_on_a_grid_are_copies(grid: Grid) -> None:
    w = np.full((2, 2), 1 / 3, np.float32)
    rounded = Parameters(w, w, w).astype(np.float32, grid)
    assert rounded.w_q[0, 0] == nearest(float(w[0, 0]), grid) != w[0, 0] == np.float32(1 / 3)


@pytest.mark.parametrize("grid", GRIDS.values())
def test_every_operation_leaves_numbers_of_the_grid(grid: Grid) -> None:
    rng = np.random.default_rng(0)
    x = round_to_grid(rng.standard_normal((2, 3, 4), np.float32), grid)
    w, b = (round_to_grid(rng.standard_normal(s, np.float32), grid) for s in ((4, 4), (4,)))
    made = [
        softmax(x, grid=grid), project(x, w, b, grid), layer_norm(x, b, b, grid),
        gelu_tanh(x, grid), rotate(x[:, None], grid=grid),
    ]  # fmt: skip
    exact = [softmax(x), project(x, w, b), layer_norm(x, b, b), gelu_tanh(x), rotate(x[:, None])]
    for ours, unrounded in zip(made, exact, strict=True):
        np.testing.assert_array_equal(round_to_grid(ours.copy(), grid), ours)
        assert 0 < np.abs(ours - unrounded).max() < 8 * 2.0 ** -FRACTION_BITS[grid]
