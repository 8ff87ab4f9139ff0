"""Initialisations by their statistics, and the recipe of their random numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from attnscope.attention.architecture import ALL_TENSORS, TENSORS, Parameters, Shape
from attnscope.weights.schemes import INITS, SCHEMES, Init, seeded_layer, stream

ROWS, COLUMNS = 300, 500
# Variance, and the most that a number may be (None: no bound), of a 300 × 500 matrix.
VARIANCES: dict[Init, tuple[float, float | None]] = {
    "xavier_uniform": (2 / 800, math.sqrt(6 / 800)),
    "xavier_normal": (2 / 800, None),
    "kaiming_uniform": (2 / 300, math.sqrt(6 / 300)),
    "kaiming_normal": (2 / 300, None),
    "normal": (0.0004, None),
}
SHAPE = Shape(4, 4, 12, 3, 3)


def equal(one: Parameters, two: Parameters, names: tuple[str, ...] = TENSORS) -> bool:
    a, b = one.arrays(), two.arrays()
    return all(np.array_equal(a[name], b[name]) for name in names)


def test_a_scheme_has_its_variance_and_mean_zero(subtests: pytest.Subtests) -> None:
    for init, (variance, bound) in VARIANCES.items():
        with subtests.test(init=init):
            w = SCHEMES[init](stream(0, 0, "w_q"), ROWS, COLUMNS)
            assert w.shape == (ROWS, COLUMNS)
            assert w.dtype == np.float64
            assert abs(w.mean()) < 5 * math.sqrt(variance / w.size)
            assert w.var() == pytest.approx(variance, rel=5 * math.sqrt(2 / w.size))
            if bound is not None:
                assert 0.99 * bound < np.abs(w).max() <= bound
            else:
                assert np.abs(w).max() > 3.5 * math.sqrt(variance)


def test_orthogonal_matrices_are(subtests: pytest.Subtests) -> None:
    for rows, columns in ((12, 12), (20, 7), (7, 20), (1, 5)):
        with subtests.test(rows=rows):
            w = SCHEMES["orthogonal"](stream(1, 0, "w_q"), rows, columns)
            gram = w.T @ w if rows >= columns else w @ w.T
            assert w.shape == (rows, columns)
            assert w.flags.c_contiguous
            np.testing.assert_allclose(gram, np.eye(min(rows, columns)), atol=1e-13)


def test_orthogonal_matrices_do_not_depend_on_the_signs_a_library_chooses() -> None:
    tall = stream(1, 0, "w_q").standard_normal((6, 4))
    triangle = SCHEMES["orthogonal"](stream(1, 0, "w_q"), 6, 4).T @ tall
    np.testing.assert_allclose(np.tril(triangle, -1), 0, atol=1e-13)
    assert (np.diag(triangle) > 0).all()


def test_identity_is_the_identity_as_far_as_it_goes() -> None:
    w = SCHEMES["identity"](stream(0, 0, "w_q"), 3, 2)
    np.testing.assert_array_equal(w, [[1, 0], [0, 1], [0, 0]])


def test_every_scheme_that_can_be_asked_for_is_there() -> None:
    assert set(SCHEMES) == set(INITS) == {*VARIANCES, "orthogonal", "identity"}


def test_the_same_seed_draws_the_same_layer(subtests: pytest.Subtests) -> None:
    for init in INITS:
        with subtests.test(init=init):
            assert equal(seeded_layer(SHAPE, 5, 1, init=init, bias=True),
                         seeded_layer(SHAPE, 5, 1, init=init, bias=True))  # fmt: skip


def test_another_seed_layer_or_tensor_draws_other_numbers() -> None:
    layers = [seeded_layer(SHAPE, seed, layer) for seed in (0, 1) for layer in (0, 1)]
    drawn = [array.tobytes() for p in layers for array in p.arrays().values()]
    assert len(set(drawn)) == len(drawn) == 16


def test_a_bias_more_or_a_matrix_less_changes_no_other_tensor() -> None:
    plain = seeded_layer(SHAPE, 0, 0)
    biased = seeded_layer(SHAPE, 0, 0, bias=True)
    without = seeded_layer(SHAPE, 0, 0, output_projection=False)
    assert equal(plain, biased, ("w_q", "w_k", "w_v", "w_o"))
    assert equal(plain, without, ("w_q", "w_k", "w_v"))
    assert list(plain.arrays()) == ["w_q", "w_k", "w_v", "w_o"]
    assert list(biased.arrays()) == list(TENSORS)
    assert list(without.arrays()) == ["w_q", "w_k", "w_v"]


def test_sharing_uses_one_matrix_again() -> None:
    alone = seeded_layer(SHAPE, 0, 0, bias=True)
    qk = seeded_layer(SHAPE, 0, 0, bias=True, share="qk")
    qkv = seeded_layer(SHAPE, 0, 0, bias=True, share="qkv")
    assert qk.w_k is qk.w_q
    assert qk.b_k is qk.b_q
    assert equal(qk, alone, ("w_q", "w_v", "w_o", "b_q", "b_v", "b_o"))
    assert qkv.w_v is qkv.w_k is qkv.w_q
    assert qkv.b_v is qkv.b_k is qkv.b_q
    assert equal(qkv, alone, ("w_q", "w_o", "b_q", "b_o"))


def test_an_mlp_and_norms_come_with_their_own_streams_and_change_no_other_tensor() -> None:
    plain = seeded_layer(SHAPE, 0, 0, bias=True)
    full = seeded_layer(SHAPE, 0, 0, bias=True, block="pre_norm", mlp=True)
    assert equal(plain, full)
    assert list(full.arrays()) == list(ALL_TENSORS)
    assert full.w_in is not None
    assert full.w_in.shape == (12, 48)
    sequence = np.random.SeedSequence([0, 0, ALL_TENSORS.index("w_in")])
    expected = SCHEMES["xavier_uniform"](np.random.Generator(np.random.PCG64(sequence)), 12, 48)
    np.testing.assert_array_equal(full.w_in, expected)
    for norm in ("norm", "mlp_norm"):
        assert (full.arrays()[f"{norm}_gain"] == 1).all()
        assert (full.arrays()[f"{norm}_bias"] == 0).all()


def test_a_block_has_the_tensors_it_needs(subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        ("residual", False, ()),
        ("residual", True, ("w_in", "w_out")),
        ("post_norm", False, ("norm_gain", "norm_bias")),
        ("sublayer_norm", True, ("norm_gain", "norm_bias", "w_in", "w_out", "mlp_norm_gain",
                                 "mlp_norm_bias")),
    ]  # fmt: skip
    for block, mlp, more in cases:
        with subtests.test(block=block, mlp=mlp):
            tensors = seeded_layer(SHAPE, 0, 0, block=block, mlp=mlp).arrays()
            assert tuple(tensors) == ("w_q", "w_k", "w_v", "w_o", *more)


def test_a_bias_is_uniform_within_one_over_the_root_of_its_inputs() -> None:
    shape = Shape(8, 8, 400, 50, 25)
    p = seeded_layer(shape, 0, 0, bias=True)
    for bias, inputs in [(p.b_q, 400), (p.b_k, 400), (p.b_v, 400), (p.b_o, 200)]:
        assert bias is not None
        bound = 1 / math.sqrt(inputs)
        assert 0.9 * bound < np.abs(bias).max() <= bound
        assert abs(bias.mean()) < 5 * bound / math.sqrt(3 * bias.size)


def test_widths_follow_the_shape() -> None:
    shape = Shape(num_heads=6, num_kv_heads=2, d_model=10, d_k=3, d_v=5)
    for name, array in seeded_layer(shape, 0, 0, bias=True).arrays().items():
        assert array.shape == shape.of(name)


def test_the_recipe_can_be_followed_by_hand() -> None:
    """docs/mathematics.md gives the same lines."""
    sequence = np.random.SeedSequence([7, 2, 1])  # seed, layer, w_k is the second of TENSORS
    rng = np.random.Generator(np.random.PCG64(sequence))
    bound = math.sqrt(6 / (12 + 12))
    expected = rng.uniform(-bound, bound, (12, 12))
    np.testing.assert_array_equal(seeded_layer(SHAPE, 7, 2).w_k, expected)


def test_the_first_numbers_never_change() -> None:
    p = seeded_layer(Shape(4, 4, 64, 16, 16), 0, 0, bias=True)
    firsts = {name: array.flat[:3] for name, array in p.arrays().items() if name in FIRSTS}
    for name, first in FIRSTS.items():
        np.testing.assert_allclose(firsts[name], first, rtol=0, atol=1e-12, err_msg=name)


FIRSTS = {
    "w_q": [0.059306150282780246, -0.09968527708459338, -0.19876429464045248],
    "w_o": [0.11453388952596227, -0.024902025830354918, -0.03926780591125467],
    "b_k": [0.1151827122005793, -0.07586035044273667, 0.060956844126748705],
}
