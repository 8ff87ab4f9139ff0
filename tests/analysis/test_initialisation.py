"""Every scheme draws the variance it predicts; heads change no parameter count."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.analysis.initialisation import (
    THEORY,
    check_cost,
    drawn_variances,
    own_variances,
    parameter_counts,
    stage_mean_squares,
)
from attnscope.analysis.projections import rows_of
from attnscope.attention.architecture import Shape
from attnscope.errors import TooLarge
from attnscope.weights.schemes import INITS, seeded_layer
from tests.questions import ask

SHAPE = Shape(num_heads=4, num_kv_heads=2, d_model=64, d_k=16, d_v=8)


def test_what_is_drawn_has_the_predicted_variance(subtests: pytest.Subtests) -> None:
    for init in INITS:
        with subtests.test(init=init):
            for tensor in drawn_variances(SHAPE, 64, seed=3, layer=1, init=init):
                assert tensor.predicted is not None
                if tensor.standard_error is None:
                    assert tensor.measured == pytest.approx(tensor.predicted, rel=1e-12)
                else:
                    assert abs(tensor.measured - tensor.predicted) < 4 * tensor.standard_error


def test_the_standard_error_is_how_far_many_draws_scatter(subtests: pytest.Subtests) -> None:
    for init in [one for one in INITS if THEORY[one].kurtosis is not None]:
        with subtests.test(init=init):
            small = Shape(1, 1, 8, 8, 8)
            draws = [drawn_variances(small, 8, seed, 0, init)[0] for seed in range(400)]
            scatter = np.std([draw.measured for draw in draws])
            assert scatter == pytest.approx(draws[0].standard_error, rel=0.2)


def test_the_models_own_tensors_are_those_of_its_scheme() -> None:
    own = own_variances(seeded_layer(SHAPE, 3, 1, init="kaiming_normal"), "kaiming_normal")
    assert own == drawn_variances(SHAPE, 64, seed=3, layer=1, init="kaiming_normal")


def test_a_bias_is_predicted_from_the_rows_of_its_matrix() -> None:
    own = {t.name: t for t in own_variances(seeded_layer(SHAPE, 0, 0, bias=True), "normal")}
    assert list(own) == ["w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"]
    assert own["b_q"].predicted == pytest.approx(1 / (3 * 64))
    assert own["b_o"].predicted == pytest.approx(1 / (3 * 32))
    assert abs(own["b_q"].measured - 1 / 192) < 4 * (own["b_q"].standard_error or 0)


def test_of_weights_that_nobody_drew_nothing_is_predicted() -> None:
    for tensor in own_variances(seeded_layer(SHAPE, 0, 0), None):
        assert tensor.predicted is tensor.standard_error is None
        assert tensor.measured > 0


@pytest.mark.parametrize("bias", [False, True])
def test_the_size_of_q_k_and_v_follows_from_that_of_x(bias: bool) -> None:
    model = {"source": "seeded", "d_model": 256, "bias": bias}
    trace = ask({"text": "one two three four five six seven eight", "model": model})
    own = own_variances(trace.parameters[0], "xavier_uniform")
    x, _ = rows_of(trace, 0, 0)
    stages = {name: trace.layers[0][name][0] for name in ("q", "k", "v")}
    for signal in stage_mean_squares(x, x, stages, own)[1:]:
        assert signal.measured == pytest.approx(signal.predicted, rel=0.15)


def test_heads_cost_no_parameters() -> None:
    d = 512
    counted = {
        one.name: one
        for one in parameter_counts(Shape(8, 2, d, 64, 64), {"b_q", "b_k", "b_v", "b_o"})
    }
    assert counted["one_head"].projections == counted["multi_head"].projections == 3 * d * d
    assert counted["multi_head"].biases == 3 * d
    assert counted["multi_head"].total == 4 * d * d + 4 * d
    assert counted["grouped"].projections == d * d + 2 * d * 2 * 64
    assert counted["multi_query"].projections == d * d + 2 * d * 64
    assert counted["share_qk"].projections == 2 * d * d
    assert counted["share_qkv"].projections == d * d


def test_the_counts_are_those_of_the_arrays(subtests: pytest.Subtests) -> None:
    for model in ({}, {"bias": True}, {"num_kv_heads": 2}, {"share": "none"}):
        with subtests.test(model=model):
            trace = ask({"text": "a", "model": {"source": "seeded", **model}})
            opened = trace.plan.model
            grouped = next(
                one
                for one in parameter_counts(opened.shape, opened.biases)
                if one.name == "grouped"
            )
            arrays = trace.parameters[0].arrays()
            matrices = sum(a.size for name, a in arrays.items() if name[0] == "w")
            assert matrices == grouped.projections + grouped.output
            assert sum(a.size for a in arrays.values()) == grouped.total
            assert (grouped.biases + grouped.output_bias > 0) is bool(model.get("bias"))


def test_without_w_o_none_of_its_numbers_count() -> None:
    found = parameter_counts(SHAPE, {"b_q", "b_k", "b_v"}, 0)
    assert {(one.output, one.output_bias) for one in found} == {(0, 0)}
    assert all(one.total == one.projections + one.biases for one in found)


def test_of_the_biases_those_count_that_are_there() -> None:
    counted = {one.name: one for one in parameter_counts(SHAPE, {"b_q", "b_k", "b_in"})}
    assert (counted["grouped"].biases, counted["grouped"].output_bias) == (64 + 32, 0)
    assert counted["share_qk"].biases == 64


def test_what_would_take_long_is_refused() -> None:
    wide = Shape(8, 8, 4096, 512, 512)
    with pytest.raises(TooLarge) as refused:
        check_cost(wide, 4096, INITS)
    assert refused.value.reason == "initialisation"
    with pytest.raises(TooLarge) as refused:
        check_cost(wide, 4096, ("orthogonal",))
    assert refused.value.reason == "initialisation_orthogonal"
    check_cost(wide, 4096, ("xavier_uniform",))
