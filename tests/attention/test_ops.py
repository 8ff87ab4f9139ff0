"""Softmax, projection, norm and activation, for numbers of any size."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnscope.attention.architecture import EPSILON
from attnscope.attention.ops import (
    CHUNK,
    fill_in_chunks,
    gelu,
    gelu_tanh,
    layer_norm,
    map_rows,
    relu,
    softmax,
)
from tests.attention import plain

ROWS = arrays(np.float64, (3, 5), elements=st.floats(-600, 600))


@given(ROWS)
def test_softmax_equals_plain_loops(scores: np.ndarray) -> None:
    expected = [plain.softmax(row) for row in scores.tolist()]
    np.testing.assert_allclose(softmax(scores), expected, rtol=1e-12, atol=1e-300)


@given(ROWS, st.floats(-1000, 1000))
def test_softmax_does_not_feel_a_shift(scores: np.ndarray, shift: float) -> None:
    np.testing.assert_allclose(softmax(scores + shift), softmax(scores), rtol=1e-9, atol=1e-12)


def test_a_shift_without_rounding_changes_no_bit(subtests: pytest.Subtests) -> None:
    for shift in (-1024.0, 64.0, 4096.0):
        with subtests.test(shift=shift):
            scores = np.array([[0.5, 1.25, -3.0], [2.0, 2.0, 2.0]])
            np.testing.assert_array_equal(softmax(scores + shift), softmax(scores))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_largest_numbers_do_not_overflow(dtype: type) -> None:
    most = np.finfo(dtype).max
    scores: np.ndarray = np.array([[most, most, -most], [-most, -most, -most]], dtype)
    weights = softmax(np.array(scores) / 2)
    np.testing.assert_allclose(weights, [[0.5, 0.5, 0], [1 / 3] * 3], rtol=1e-6)
    assert weights.dtype == dtype


def test_a_row_of_minus_infinity_is_exact_zeros() -> None:
    scores = np.array([[-np.inf] * 3, [-np.inf, 5.0, -np.inf]])
    np.testing.assert_array_equal(softmax(scores), [[0, 0, 0], [0, 1, 0]])
    assert not np.signbit(softmax(scores)).any()


def test_the_answer_goes_where_it_is_asked_for_and_the_scores_stay() -> None:
    scores, out = np.array([[1.0, 2.0]]), np.empty((1, 2))
    assert softmax(scores, out=out) is out
    np.testing.assert_array_equal(scores, [[1.0, 2.0]])
    assert out[0, 1] / out[0, 0] == pytest.approx(math.e, rel=1e-14)


def test_a_normed_row_equals_plain_loops() -> None:
    rng = np.random.default_rng(3)
    x, gain, bias = rng.normal(5, 3, (4, 7)), rng.normal(size=7), rng.normal(size=7)
    expected = plain.normed(x.tolist(), gain.tolist(), bias.tolist())
    np.testing.assert_allclose(layer_norm(x, gain, bias), expected, rtol=1e-12, atol=1e-12)
    bare = layer_norm(x)
    np.testing.assert_allclose(bare.mean(axis=-1), 0, atol=1e-15)
    np.testing.assert_allclose(bare.var(axis=-1), x.var(axis=-1) / (x.var(axis=-1) + EPSILON))


@pytest.mark.parametrize(("rows", "width"), [(7, CHUNK + 1), (CHUNK, 5), (3000, 100), (1, 5)])
def test_a_formula_of_chunks_is_the_formula(rows: int, width: int) -> None:
    x, y = np.random.default_rng(rows).normal(size=(2, 2, rows, width))
    np.testing.assert_array_equal(map_rows(gelu_tanh, x), gelu_tanh(x))
    out = np.empty_like(x[0])
    fill_in_chunks(np.subtract, x[0], y[0], out=out)
    np.testing.assert_array_equal(out, x[0] - y[0])


def test_a_row_of_equal_numbers_becomes_zeros() -> None:
    np.testing.assert_array_equal(layer_norm(np.full((2, 3), 7.0)), 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gelu_equals_plain_loops_and_keeps_its_type(dtype: type) -> None:
    x: np.ndarray = np.linspace(-6, 6, 241, dtype=dtype)
    assert gelu_tanh(x).dtype == gelu(x).dtype == dtype
    expected = [plain.gelu(one) for one in x.tolist()]
    exact = [0.5 * one * (1 + math.erf(one / math.sqrt(2))) for one in x.tolist()]
    np.testing.assert_allclose(gelu(x), exact, atol=1e-15 if dtype == np.float64 else 1e-6)
    np.testing.assert_allclose(gelu_tanh(x), expected, atol=1e-15 if dtype == np.float64 else 1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_relu_is_the_larger_of_a_number_and_0(dtype: type) -> None:
    x: np.ndarray = np.array([-3, -0.0, 0, 1e-30, 2.5, np.inf, np.nan], dtype)
    np.testing.assert_array_equal(relu(x), np.array([0, 0, 0, 1e-30, 2.5, np.inf, np.nan], dtype))
    assert relu(x).dtype == dtype


def test_gelu_lets_large_numbers_through_and_stops_small_ones() -> None:
    np.testing.assert_array_equal(gelu_tanh(np.array([-1e30, 0, 1e30], np.float32)),
                                  np.array([0, 0, 1e30], np.float32))  # fmt: skip
