"""Each operation's derivative, against differences of the operation itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnscope.attention.derivatives import (
    gelu_back,
    gelu_tanh_back,
    layer_norm_back,
    project_back,
    relu_back,
    softmax_back,
    softmax_jacobian,
)
from attnscope.attention.ops import gelu, gelu_tanh, layer_norm, relu, softmax
from attnscope.attention.products import project

STEP = 1e-6
Function = Callable[[np.ndarray], np.ndarray]


def measured(f: Function, x: np.ndarray, g_y: np.ndarray) -> np.ndarray:
    """Central differences of Σ g_y f(x), one number of x after the other."""
    g_x = np.zeros_like(x)
    for cell in np.ndindex(x.shape):
        by = np.zeros_like(x)
        by[cell] = STEP
        g_x[cell] = (g_y * (f(x + by) - f(x - by))).sum() / (2 * STEP)
    return g_x


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_a_projection(rng: np.random.Generator) -> None:
    x, w, b, g_y = (rng.normal(size=size) for size in ((2, 3, 4), (4, 5), 5, (2, 3, 5)))
    g_x, g_w, g_b = project_back(g_y, x, w)
    np.testing.assert_allclose(g_x, measured(lambda x: project(x, w, b), x, g_y), atol=1e-8)
    np.testing.assert_allclose(g_w, measured(lambda w: project(x, w, b), w, g_y), atol=1e-8)
    np.testing.assert_allclose(g_b, measured(lambda b: project(x, w, b), b, g_y), atol=1e-8)


def test_a_softmax_with_closed_cells(rng: np.random.Generator) -> None:
    scores, g_weights = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    scores[0, 2:] = scores[2] = -np.inf
    weights = softmax(scores)
    g_scores = softmax_back(g_weights, weights)
    np.testing.assert_allclose(g_scores, measured(softmax, scores, g_weights), atol=1e-8)
    assert not g_scores[weights == 0].any()
    assert not np.signbit(g_scores[weights == 0]).any(), "never −0"
    for row in range(3):
        by_jacobian = g_weights[row] @ softmax_jacobian(weights[row])
        np.testing.assert_allclose(g_scores[row], by_jacobian, atol=1e-15)


def test_a_norm(rng: np.random.Generator) -> None:
    x, g_y = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 3, 4))
    gain, bias = rng.normal(size=4), rng.normal(size=4)
    g_x, g_gain, g_bias = layer_norm_back(g_y, x, gain)
    np.testing.assert_allclose(
        g_x, measured(lambda x: layer_norm(x, gain, bias), x, g_y), atol=1e-7
    )
    for g, array, f in (
        (g_gain, gain, lambda gain: layer_norm(x, gain, bias)),
        (g_bias, bias, lambda bias: layer_norm(x, gain, bias)),
    ):
        np.testing.assert_allclose(g, measured(f, array, g_y), atol=1e-8)
    plain_g_x, _, _ = layer_norm_back(g_y, x, None)
    np.testing.assert_allclose(plain_g_x, measured(layer_norm, x, g_y), atol=1e-7)


def test_what_a_norm_passes_on_changes_neither_mean_nor_length(rng: np.random.Generator) -> None:
    x, g_y = rng.normal(size=(1, 3, 6)), rng.normal(size=(1, 3, 6))
    g_x, _, _ = layer_norm_back(g_y, x, None)
    np.testing.assert_allclose(g_x.sum(axis=-1), 0, atol=1e-14)
    centred = x - x.mean(axis=-1, keepdims=True)
    np.testing.assert_allclose((g_x * centred).sum(axis=-1), 0, atol=1e-4)  # but for the 10⁻⁵


def test_a_gelu(rng: np.random.Generator) -> None:
    x, g_y = 3 * rng.normal(size=40), rng.normal(size=40)
    for back, forth in ((gelu_tanh_back, gelu_tanh), (gelu_back, gelu)):
        np.testing.assert_allclose(back(g_y, x), measured(forth, x, g_y), atol=1e-8)


def test_a_relu_passes_what_is_above_0(rng: np.random.Generator) -> None:
    x, g_y = 3 * rng.normal(size=40), rng.normal(size=40)
    np.testing.assert_allclose(relu_back(g_y, x), measured(relu, x, g_y), atol=1e-8)
    np.testing.assert_array_equal(relu_back(np.ones(3), np.array([-1.0, 0.0, 1.0])), [0, 0, 1])


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=12))
def test_every_row_and_column_of_a_softmaxs_jacobian_sums_to_0(scores: list[float]) -> None:
    weights = softmax(np.array(scores))
    jacobian = softmax_jacobian(weights)
    np.testing.assert_allclose(jacobian.sum(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(jacobian.sum(axis=1), 0, atol=1e-15)
    np.testing.assert_array_equal(jacobian, jacobian.T)
    assert np.linalg.eigvalsh(jacobian).min() > -1e-15


def test_the_jacobian_of_two_even_weights_is_a_quarter_each_way() -> None:
    np.testing.assert_array_equal(
        softmax_jacobian(np.array([0.5, 0.5])), [[0.25, -0.25], [-0.25, 0.25]]
    )
