"""Whole questions, every layer and stage, against lists and loops."""

from __future__ import annotations

import numpy as np
import pytest

from app.attention.attend import Options
from app.attention.parameters import Parameters, Shape
from app.attention.transformer import forward
from tests.attention import plain
from tests.questions import ask, random_question


@pytest.mark.parametrize("seed", range(48))
def test_every_stage_of_a_random_question_equals_plain_loops(seed: int) -> None:
    body = random_question(seed)
    trace = ask(body)
    planned, shape = trace.plan, trace.plan.model.shape
    if trace.position is not None:
        table = plain.sinusoidal(planned.words.n, shape.d_model)
        for b, length in enumerate(planned.words.lengths):
            np.testing.assert_allclose(trace.position[b, :length], table[:length], atol=1e-12)
            assert not trace.position[b, length:].any()
    start = trace.embedding if trace.position is None else trace.embedding + trace.position
    expected = plain.answer(
        body, start.tolist(),
        [{name: a.tolist() for name, a in p.arrays().items()} for p in trace.parameters],
        shape.num_heads, shape.num_kv_heads, shape.d_k, planned.words.lengths,
    )  # fmt: skip
    assert len(trace.layers) == len(expected)
    for layer, (ours, theirs) in enumerate(zip(trace.layers, expected, strict=True)):
        assert ours.keys() == theirs.keys()
        for name, array in theirs.items():
            np.testing.assert_allclose(
                ours[name], array, rtol=1e-12, atol=1e-12, err_msg=f"layer {layer}, {name}"
            )


@pytest.mark.parametrize("block", ["attention", "residual"])
def test_the_block_output_is_the_next_layers_x(block: str) -> None:
    rng, shape, kept = np.random.default_rng(0), Shape(2, 1, 4, 2, 2), {}
    layers = [
        Parameters(*(rng.normal(size=shape.of(name)) for name in ("w_q", "w_k", "w_v", "w_o")))
        for _ in range(3)
    ]
    x = rng.normal(size=(1, 5, 4))

    def keep(layer: int, name: str, array: np.ndarray) -> None:
        assert (layer, name) not in kept
        kept[layer, name] = array

    last = forward(x, layers, shape, [(5, 5)], Options(0.5), block, keep)
    assert kept[0, "x"] is x
    assert last is kept[2, "block_output"]
    for i in range(3):
        assert i == 0 or kept[i, "x"] is kept[i - 1, "block_output"]
        added = kept[i, "x"] if block == "residual" else 0
        np.testing.assert_array_equal(kept[i, "block_output"], added + kept[i, "output"])
