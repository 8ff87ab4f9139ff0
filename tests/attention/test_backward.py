"""Derivatives against central differences: every stage and parameter is moved, and all after it
computed again by `nudged.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from attnscope.attention.backward import backward
from attnscope.trace.trace import Trace
from tests.attention.nudged import Touch, run_again
from tests.questions import BLOCKS, SEEDS, Body, ask, cross_question, random_question

pytestmark = pytest.mark.slow

STEP = 1e-5
Arrays = dict[str, np.ndarray]
SMALL: Body = {
    "tokens": [["a", "b", "c"], ["d", "e"]], "causal": True, "scale": "sqrt_d_k",
    "temperature": 0.7,
}  # fmt: skip


def cotangent_of(trace: Trace, at: str = "output") -> np.ndarray:
    return np.random.default_rng(1).normal(size=trace.layers[-1][at].shape)


def derivatives(trace: Trace, cotangent: np.ndarray, at: str = "output") -> list[Arrays]:
    return backward(trace.layers, trace.parameters, trace.plan.setting, cotangent, at)


def moved(layer: int, name: str, by: np.ndarray) -> Touch:
    """Adds to one stage of one layer."""

    def touch(i: int, stage: str, array: np.ndarray) -> np.ndarray:
        return array + by if (i, stage) == (layer, name) else array

    return touch


def difference(
    body: Body,
    trace: Trace,
    cotangent: np.ndarray,
    at: str,
    place: tuple[int, str],
    by: np.ndarray,
    step: float = STEP,
) -> float:
    """(8 (f₁ − f₋₁) − (f₂ − f₋₂)) / 12ε with fₜ = f(s + t ε u): central differences whose error
    has ε⁴, for the norm of a row of padding is as steep as 1/√10⁻⁵."""
    f = {
        t: (cotangent * run_again(body, trace, moved(*place, t * by))[at]).sum()
        for t in (-2, -1, 1, 2)
    }
    return float((8 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12 * step))


def full(body: Body) -> Body:
    """Every option spelled out, as nudged.py reads it."""
    return {"window": None, "prefix": 0, "blocked": [], **body}


def check_directions(body: Body, at: str) -> None:
    """Each stage along one direction drawn for it, in every layer."""
    trace = ask(body)
    cotangent = cotangent_of(trace, at)
    again = run_again(body, trace, lambda i, name, array: array)
    for name in ("q", "masked_scores", "weights", "output", "block_output"):
        np.testing.assert_allclose(again[name], trace.layers[-1][name], rtol=1e-10, atol=1e-10)
    rng = np.random.default_rng(2)
    if trace.plan.model.block == "attention" and "w_in" not in again:
        at = "block_output"  # the same array, and nothing lies between
    for i, g in enumerate(derivatives(trace, cotangent, at)):
        for name in sorted(g.keys() & {*again, "context"}):
            # The norm of a row of one number is so steep that it needs a smaller step.
            step = STEP / max(1.0, np.abs(g[name]).max())
            by = step * rng.normal(size=g[name].shape)
            measured = difference(body, trace, cotangent, at, (i, name), by, step)
            derivative = float((g[name] * by).sum() / step)
            size = np.abs(g[name]).max() * np.sqrt(by.size)
            assert abs(derivative - measured) <= 1e-6 * max(1.0, size), f"layer {i}, {name}"


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_random_question_is_derived_as_differences_say(
    seeds: Sequence[int], subtests: pytest.Subtests
) -> None:
    for seed in seeds:
        with subtests.test(seed=seed):
            check_directions(random_question(seed, 4), "output")


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_random_question_with_a_context_is_derived_as_differences_say(
    seeds: Sequence[int], subtests: pytest.Subtests
) -> None:
    for seed in seeds:
        with subtests.test(seed=seed):
            check_directions(cross_question(seed, 4), "block_output")


def two_layers(block: str) -> Body:
    return full({**SMALL, "model": {
        "source": "seeded", "d_model": 4, "num_heads": 2, "num_kv_heads": 1, "d_k": 2, "d_v": 1,
        "num_layers": 2, "bias": True, "mlp": True, "positions": "rotary", "block": block,
    }})  # fmt: skip


def test_two_layers_of_each_block_are_derived_as_differences_say(
    subtests: pytest.Subtests,
) -> None:
    for block in BLOCKS:
        with subtests.test(block):
            check_directions(two_layers(block), "output")


@pytest.mark.full
@pytest.mark.parametrize("block", BLOCKS)
def test_every_single_number_of_two_layers_is_derived_as_differences_say(block: str) -> None:
    body = two_layers(block)
    trace = ask(body)
    cotangent = cotangent_of(trace)
    again = run_again(body, trace, lambda i, name, array: array)
    for i, g in enumerate(derivatives(trace, cotangent)):
        for name in ("x", "q", "k", "v", "masked_scores", "weights", "middle", "b_k", "w_v"):
            array = g[name]
            assert array.shape == again[name].shape
            for cell in np.ndindex(array.shape):
                by = np.zeros(array.shape)
                by[cell] = STEP
                measured = difference(body, trace, cotangent, "output", (i, name), by)
                assert abs(array[cell] - measured) <= 1e-6, f"layer {i}, {name}{cell}"


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_derivatives_of_a_row_of_masked_scores_sum_to_0(
    seeds: Sequence[int], subtests: pytest.Subtests
) -> None:
    for seed in seeds:
        with subtests.test(seed=seed):
            trace = ask(random_question(seed))
            for g, layer in zip(derivatives(trace, cotangent_of(trace)), trace.layers, strict=True):
                masked = g["masked_scores"]
                scale = 1 + np.abs(g["weights"]).max()
                np.testing.assert_allclose(masked.sum(axis=-1) / scale, 0, atol=1e-14)
                closed = np.isneginf(layer["masked_scores"])
                for name in ("masked_scores", "scaled_scores", "scores"):
                    assert not g[name][closed].any()


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_derivative_has_the_axes_of_its_stage_and_every_stage_and_tensor_has_one(
    seeds: Sequence[int], subtests: pytest.Subtests
) -> None:
    for seed in seeds:
        with subtests.test(seed=seed):
            trace = ask(random_question(seed))
            for g, stages, p in zip(
                derivatives(trace, cotangent_of(trace)), trace.layers, trace.parameters, strict=True
            ):
                arrays = {**stages, **p.arrays()}
                assert g.keys() == arrays.keys()
                assert all(g[name].shape == array.shape for name, array in arrays.items())
                assert all(g[name].dtype == array.dtype for name, array in arrays.items())


def test_a_key_bias_changes_no_weight_so_its_derivative_is_0() -> None:
    trace = ask({"text": "one two three", "model": {"source": "seeded", "bias": True}})
    (g,) = derivatives(trace, cotangent_of(trace))
    np.testing.assert_allclose(g["b_k"], 0, atol=1e-15)
    assert np.abs(g["b_q"]).max() > 1e-4


def test_a_matrix_that_serves_as_two_has_the_sum_of_their_derivatives() -> None:
    model: dict[str, Any] = {"source": "explicit", "w_q": [[0.5, 1.0], [2.0, -1.0]]}
    model |= {"w_v": [[1.0, 0.0], [0.5, 1.0]]}
    x, by = [[0.3, 1.0], [0.8, -0.2]], np.array([[0.0, 0.0], [STEP, 0.0]])

    def value(nudge: np.ndarray) -> float:
        w = (np.array(model["w_q"]) + nudge).tolist()
        stages = ask({"x": x, "model": {**model, "w_q": w, "w_k": w}}).layers[0]
        return float(stages["output"][0, 1, 0])

    trace = ask({"x": x, "model": {**model, "w_k": model["w_q"]}})
    cotangent = np.zeros((1, 2, 2))
    cotangent[0, 1, 0] = 1
    (g,) = derivatives(trace, cotangent)
    measured = (value(by) - value(-by)) / (2 * STEP)
    assert abs(g["w_q"][1, 0] + g["w_k"][1, 0] - measured) < 1e-9


def test_a_dropped_head_that_overflows_leaves_no_trace_in_a_derivative() -> None:
    draw = np.random.default_rng(3)
    own = {name: draw.normal(size=(4, 4)) for name in ("w_q", "w_k", "w_v", "w_o")}
    huge = {name: np.where(np.arange(4) < 2, 1e200, w) for name, w in own.items()} | {
        "w_o": own["w_o"]
    }
    x = draw.normal(size=(3, 4)).tolist()

    def asked(arrays: Arrays) -> Body:
        model = {"source": "explicit", "num_heads": 2}
        return full({
            "x": x, "causal": True, "scale": "none", "temperature": 1.0, "drop": [[0, 0]],
            "model": {**model, **{name: w.tolist() for name, w in arrays.items()}},
        })  # fmt: skip

    with np.errstate(over="ignore", invalid="ignore"):
        trace, usual = ask(asked(huge)), ask(asked(own))
        assert np.isnan(trace.layers[0]["weights"][:, 0]).any(), "the head overflows"
        cotangent = cotangent_of(trace)
        (g,), (same,) = derivatives(trace, cotangent), derivatives(usual, cotangent)
        for name, array in g.items():
            np.testing.assert_array_equal(array, same[name], name)
            by = STEP * draw.normal(size=array.shape)
            measured = difference(asked(huge), trace, cotangent, "block_output", (0, name), by)
            assert abs((array * by).sum() / STEP - measured) <= 1e-6, name
    for name in ("q", "k", "v", "scores", "weights", "head_outputs"):
        assert not g[name][:, 0].any(), name


def test_large_maps_are_derived_on_every_core_as_on_one() -> None:
    body = {
        "tokens": [f"t{i}" for i in range(200)],
        "model": {"source": "seeded", "num_kv_heads": 2},
    }
    trace = ask(body)
    assert trace.layers[0]["weights"].size > 1 << 17
    cotangent = cotangent_of(trace)
    (g,) = derivatives(trace, cotangent)
    stages, (p,) = trace.layers[0], trace.parameters
    heads = np.stack(np.split(cotangent @ p.w_o.T, 4, axis=-1), axis=1)
    v = np.repeat(stages["v"], 2, axis=1)
    g_weights = np.einsum("bhic,bhjc->bhij", heads, v)
    np.testing.assert_allclose(g["weights"], g_weights, atol=1e-12)
    g_v = np.einsum("bhij,bhic->bhjc", stages["weights"], heads)
    np.testing.assert_allclose(g["v"], g_v[:, ::2] + g_v[:, 1::2], atol=1e-12)
