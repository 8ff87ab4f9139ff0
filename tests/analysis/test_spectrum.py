"""Singular values beside numpy's own of the dense matrices, and beside figures known by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from attnscope.analysis.spectrum import (
    Factored,
    Spectrum,
    all_matrices,
    check_cost,
    head_matrices,
    placeholder_parameters,
    spectrum,
    whole_matrices,
)
from attnscope.attention.architecture import Shape
from attnscope.errors import NonFinite, TooLarge
from attnscope.trace.trace import Trace
from attnscope.weights.schemes import INITS, seeded_layer
from tests.questions import ask, random_question


def dense(matrix: Factored) -> np.ndarray:
    """The matrix multiplied out, in float64."""
    return matrix.dense().astype(np.float64)


def spectra(trace: Trace) -> list[tuple[Factored, Spectrum]]:
    """Every matrix of every layer and head."""
    found = []
    for p in trace.parameters:
        found += list(whole_matrices(p).values())
        for head in range(trace.plan.model.shape.num_heads):
            found += list(head_matrices(p, trace.plan.model.shape, head).values())
    return [(matrix, spectrum(matrix)) for matrix in found]


def test_the_values_are_those_of_the_dense_matrix(subtests: pytest.Subtests) -> None:
    for seed in range(20):
        with subtests.test(seed=seed):
            for matrix, found in spectra(ask(random_question(seed))):
                plain = np.linalg.svd(dense(matrix), compute_uv=False)
                assert found.shape == matrix.shape
                assert found.singular_values == pytest.approx(plain, abs=1e-12 * max(1, plain[0]))
                assert found.frobenius_norm == pytest.approx(
                    np.linalg.norm(dense(matrix)), abs=1e-12
                )


def test_determinants_are_products_of_the_singular_values(subtests: pytest.Subtests) -> None:
    for seed in range(20):
        with subtests.test(seed=seed):
            for matrix, found in spectra(ask(random_question(seed))):
                if matrix.shape[0] != matrix.shape[1]:
                    assert found.determinant is None
                    assert found.log_abs_determinant is None
                    continue
                assert found.determinant == pytest.approx(np.linalg.det(dense(matrix)), abs=1e-10)
                assert abs(found.determinant or 0) == pytest.approx(
                    found.singular_values.prod(), abs=1e-10
                )


def test_two_heads_of_two_columns_make_products_of_rank_two() -> None:
    trace = ask({"text": "a b", "model": {"source": "seeded", "d_model": 6, "num_heads": 3}})
    matrices = head_matrices(trace.parameters[0], trace.plan.model.shape, 1)
    found = spectrum(matrices["w_qk"])
    assert found.rank == 2
    assert found.determinant == 0
    assert found.log_abs_determinant == -np.inf
    assert found.condition_number == np.inf
    ratio = found.singular_values[0] / found.singular_values[1]
    assert found.condition_within_rank == pytest.approx(ratio)
    assert (found.singular_values[2:] == 0).all()


def test_a_diagonal_matrix_shows_its_entries() -> None:
    found = spectrum(Factored(np.diag([3.0, -2.0, 0.5])))
    assert found.singular_values.tolist() == pytest.approx([3, 2, 0.5])
    assert found.rank == 3
    assert found.determinant == pytest.approx(-3)
    assert found.condition_number == found.condition_within_rank == pytest.approx(6)


def test_orthogonal_weights_stretch_nothing() -> None:
    model = {"source": "seeded", "init": "orthogonal", "d_model": 8, "num_heads": 2}
    trace = ask({"text": "a b", "model": model})
    for matrix in whole_matrices(trace.parameters[0]).values():
        found = spectrum(matrix)
        assert found.singular_values == pytest.approx(np.ones(8))
        assert found.condition_number == pytest.approx(1)


def test_a_matrix_of_zeros_has_no_rank_and_no_condition() -> None:
    found = spectrum(Factored(np.zeros((3, 3))))
    assert (found.rank, found.determinant) == (0, 0)
    assert found.condition_number == found.condition_within_rank == np.inf


def test_the_rank_allows_for_the_rounding_of_the_dtype() -> None:
    rng = np.random.default_rng(0)
    product = rng.normal(size=(30, 4)) @ rng.normal(size=(4, 30))
    assert spectrum(Factored(product.astype(np.float32))).rank == 4


def test_a_determinant_beyond_float64_keeps_its_logarithm() -> None:
    found = spectrum(Factored(np.eye(400) * 10))
    assert found.determinant == np.inf
    assert found.log_abs_determinant == pytest.approx(400 * np.log(10))


def test_a_determinant_of_numbers_at_the_end_of_float64_is_still_one() -> None:
    found = spectrum(Factored(np.array([[1.0, 1.0], [1.0, -1.0]]) * 2.0**1022))
    assert found.determinant == -np.inf
    assert found.log_abs_determinant == pytest.approx((2 * 1022 + 1) * np.log(2), rel=1e-15)


def test_singular_values_beyond_float64_are_refused() -> None:
    with pytest.raises(NonFinite):
        spectrum(Factored(np.full((2, 2), 1e308)))


def test_products_beyond_float64_are_refused() -> None:
    huge = np.full((2, 1), 1e200)
    with pytest.raises(NonFinite):
        spectrum(Factored(huge, huge.T))


def test_a_dear_factorisation_is_refused_before_it_starts() -> None:
    large = np.broadcast_to(np.float32(1), (8192, 8192))
    with pytest.raises(TooLarge) as refused:
        check_cost([Factored(large)])
    assert refused.value.reason == "spectrum"
    check_cost([Factored(large[:, :64], large[:64])])


def test_every_scheme_has_a_spectrum(subtests: pytest.Subtests) -> None:
    for init in INITS:
        with subtests.test(init):
            sizes = {"d_model": 8, "num_heads": 2, "num_kv_heads": 1}
            model = {"source": "seeded", "init": init, **sizes}
            for matrix, found in spectra(ask({"text": "a b", "model": model})):
                assert len(found.singular_values) == min(matrix.shape)


def test_what_stands_in_for_a_layer_costs_what_the_layer_does(subtests: pytest.Subtests) -> None:
    for tensors, (w_o, out) in product((True, False), ((True, 8), (False, 20))):
        with subtests.test(tensors=tensors, w_o=w_o):
            shape = Shape(4, 2, 8, 3, 5)
            layer = seeded_layer(shape, 0, 0, output_projection=w_o)
            found = [
                [matrix.products for matrix in all_matrices(p, shape, [0, 3], tensors=tensors)]
                for p in (layer, placeholder_parameters(shape, out, output_projection=w_o))
            ]
            assert found[0] == found[1]
