"""Linear attention beside plain loops, and its sums beside its map."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attnscope.attention.linear import feature, linear_outputs, linear_weights

RNG = np.random.default_rng(7)
Q, K, V = RNG.normal(size=(6, 4)), RNG.normal(size=(6, 4)), RNG.normal(size=(6, 3))
EVERY = np.ones((6, 6), bool)


def elu_plus_one(a: float) -> float:
    return a + 1 if a > 0 else math.exp(a)


def test_the_feature_is_elu_plus_one_and_never_negative() -> None:
    numbers = [-700.0, -1.0, -1e-9, 0.0, 1e-9, 2.5, 1e6]
    assert feature(np.array(numbers)).tolist() == pytest.approx([elu_plus_one(a) for a in numbers])
    assert (feature(RNG.normal(size=1000) * 10) > 0).all()


def test_the_weights_are_those_of_plain_loops(subtests: pytest.Subtests) -> None:
    for allowed in (EVERY, np.tri(6, dtype=bool), RNG.random((6, 6)) < 0.6):
        with subtests.test(allowed=allowed):
            found = linear_weights(Q, K, allowed)
            for i in range(6):
                products = [
                    math.fsum(
                        elu_plus_one(a) * elu_plus_one(b) for a, b in zip(Q[i], K[j], strict=True)
                    ) if allowed[i, j] else 0.0
                    for j in range(6)
                ]  # fmt: skip
                expected = [one / sum(products) if sum(products) else 0.0 for one in products]
                assert found[i].tolist() == pytest.approx(expected, rel=1e-12)


def test_a_query_that_sees_nothing_has_a_row_of_zeros() -> None:
    allowed = EVERY.copy()
    allowed[2] = False
    assert linear_weights(Q, K, allowed).sum(axis=1).tolist() == pytest.approx([1, 1, 0, 1, 1, 1])


@pytest.mark.parametrize("causal", [False, True])
def test_the_sums_give_what_the_map_gives(causal: bool) -> None:
    allowed = np.tri(6, dtype=bool) if causal else EVERY
    np.testing.assert_allclose(
        linear_outputs(Q, K, V, causal=causal), linear_weights(Q, K, allowed) @ V, rtol=1e-12
    )


def test_keys_may_be_another_texts() -> None:
    allowed = np.ones((2, 6), bool)
    straight = linear_outputs(Q[:2], K, V, causal=False)
    np.testing.assert_allclose(straight, linear_weights(Q[:2], K, allowed) @ V, rtol=1e-12)
