"""Random questions over every option: our derivatives against PyTorch's autograd, in float64."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.analysis.gradients import Custom, gradients
from attnscope.attention.architecture import ALL_TENSORS
from tests.against_torch.torch_gradients import torch_gradients
from tests.questions import Body, ask, cross_question, random_question

SEEDS = range(3000, 23_000, 200)


def compare(body: Body, seed: int) -> None:
    trace = ask({**body, "dtype": "float64"})
    for at in ("output", "block_output"):
        last = trace.layers[-1][at]
        cotangent = np.random.default_rng(seed).normal(size=last.shape)
        ours = gradients(trace, Custom(kind="custom", at=at, cotangent=cotangent.tolist()))
        theirs, context = torch_gradients(body, trace, at, cotangent)
        np.testing.assert_allclose(ours.value, (cotangent * last).sum(), rtol=1e-12, atol=1e-12)
        for i, (stages, p) in enumerate(zip(ours.trace.layers, ours.trace.parameters, strict=True)):
            found = {**stages, **p.arrays()}
            assert set(found) & set(ALL_TENSORS) == set(theirs[i]) & set(ALL_TENSORS)
            for name, expected in theirs[i].items():
                close(found[name], expected, f"layer {i}, {name}, of {at}")
        assert (ours.context is None) == (context is None)
        if context is not None:
            close(ours.context, context, "context")


def close(ours: np.ndarray | None, theirs: np.ndarray, name: str) -> None:
    assert ours is not None
    assert ours.shape == theirs.shape, name
    atol = 1e-10 * max(1.0, np.abs(theirs).max())
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=atol, err_msg=name)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_question_is_derived_as_torch_does(seed: int) -> None:
    compare(random_question(seed), seed)


@pytest.mark.parametrize("block", ["attention", "pre_norm", "post_norm"])
def test_an_mlp_with_relu_is_derived_as_torch_does(block: str) -> None:
    model = {"source": "seeded", "d_model": 12, "num_heads": 3, "num_layers": 2, "bias": True,
             "block": block, "mlp": True, "activation": "relu"}  # fmt: skip
    plain = {"causal": True, "window": None, "prefix": 0, "blocked": [], "scale": "sqrt_d_k",
             "temperature": 1.0}  # fmt: skip
    compare({**plain, "tokens": [["a", "b", "c"], ["d", "e"]], "model": model}, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_question_with_a_context_is_derived_as_torch_does(seed: int) -> None:
    compare(cross_question(seed), seed)


def test_the_questions_have_every_kind_of_block_position_group_and_mask() -> None:
    traces = [
        ask(question(seed)) for seed in SEEDS for question in (random_question, cross_question)
    ]
    models = [trace.plan.model for trace in traces]
    for block in ("attention", "residual", "pre_norm", "post_norm", "sublayer_norm"):
        several = [m for m in models if m.block == block and m.num_layers > 1]
        assert {m.mlp_width > 0 for m in several} == {True, False}, block
    assert {m.positions for m in models} == {"none", "sinusoidal", "rotary", "alibi"}
    assert sum(m.shape.num_kv_heads < m.shape.num_heads for m in models) > 20
    assert sum(m.shape.d_k != m.shape.d_v for m in models) > 20
    assert sum(trace.parameters[0].w_o is None for trace in traces) > 20
    assert sum(trace.checks.fully_masked_rows > 0 for trace in traces) > 20
