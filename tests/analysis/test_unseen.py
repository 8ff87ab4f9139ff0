"""What a matrix does not see can be added to a token without changing its image."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.analysis.spectrum import Factored
from attnscope.analysis.unseen import MOST_PRODUCTS, null_space, principal

RNG = np.random.default_rng(3)


def test_what_is_unseen_changes_no_image() -> None:
    w, x = RNG.standard_normal((12, 5)), RNG.standard_normal((7, 12))
    found = null_space(Factored(w), x)
    assert found is not None
    assert found.dimensions == 7
    for direction, along in zip(found.directions, found.tokens.T, strict=True):
        assert np.linalg.norm(direction) == pytest.approx(1)
        np.testing.assert_allclose((x + 100 * direction) @ w, x @ w, atol=1e-11)
        np.testing.assert_allclose(x @ direction, along, atol=1e-12)
    assert found.directions[0] @ found.directions[1] == pytest.approx(0, abs=1e-12)


def test_the_share_is_what_least_squares_leaves() -> None:
    w, x = RNG.standard_normal((12, 5)), RNG.standard_normal((7, 12))
    found = null_space(Factored(w), x)
    assert found is not None
    for row, share in zip(x, found.shares, strict=True):
        weights, *_ = np.linalg.lstsq(w, row, rcond=None)
        rest = row - w @ weights
        assert share == pytest.approx((rest @ rest) / (row @ row))
    assert found.share == pytest.approx(np.average(found.shares, weights=(x**2).sum(axis=1)))


def test_a_square_matrix_of_full_rank_sees_everything() -> None:
    found = null_space(Factored(RNG.standard_normal((6, 6))), RNG.standard_normal((4, 6)))
    assert found is not None
    assert (found.dimensions, found.directions.shape, found.tokens.shape) == (0, (0, 6), (4, 0))
    assert found.share == pytest.approx(0, abs=1e-25)


def test_two_equal_columns_are_seen_as_one() -> None:
    w = RNG.standard_normal((6, 1)) @ np.ones((1, 3))
    found = null_space(Factored(w), RNG.standard_normal((4, 6)))
    assert found is not None
    assert found.dimensions == 5


def test_principal_directions_are_those_of_the_covariance() -> None:
    x = RNG.standard_normal((9, 4)) * [3, 1, 0.5, 0.1] + 7
    found = principal(x)
    assert found is not None
    values, vectors = np.linalg.eigh(np.cov(x.T))
    np.testing.assert_allclose(found.shares, values[:-3:-1] / values.sum(), atol=1e-12)
    for direction, vector in zip(found.directions, vectors.T[:-3:-1], strict=True):
        assert abs(direction @ vector) == pytest.approx(1)
    np.testing.assert_allclose(found.tokens.mean(axis=0), 0, atol=1e-12)


def test_the_size_of_the_numbers_changes_no_share(subtests: pytest.Subtests) -> None:
    for size in (1e-200, 1.0, 1e200):
        with subtests.test(size=size):
            w, x = RNG.standard_normal((5, 2)), RNG.standard_normal((4, 5))
            found, plain = null_space(Factored(w), x * size), null_space(Factored(w), x)
            flat, spread = principal(x * size), principal(x)
            assert found is not None
            assert plain is not None
            assert flat is not None
            assert spread is not None
            np.testing.assert_allclose(found.shares, plain.shares, rtol=1e-10)
            np.testing.assert_allclose(flat.shares, spread.shares, rtol=1e-10)
            np.testing.assert_allclose(flat.tokens / size, spread.tokens, atol=1e-10)


def test_one_token_spreads_in_no_direction() -> None:
    found = principal(np.ones((1, 4)))
    assert found is not None
    assert (found.shares.shape, found.directions.shape) == ((0,), (0, 4))


def test_what_is_not_finite_or_too_large_is_not_measured() -> None:
    w = Factored(np.eye(2))
    assert null_space(w, np.array([[np.inf, 1]])) is None
    assert principal(np.array([[np.nan, 1]])) is None
    wide = np.broadcast_to(1.0, (int(MOST_PRODUCTS**0.5), int(MOST_PRODUCTS**0.5)))
    assert principal(wide) is None
