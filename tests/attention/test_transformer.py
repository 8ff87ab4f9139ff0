"""Whole questions, every layer and stage, against lists and loops."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from attnscope.attention.architecture import Architecture, Block, Shape
from attnscope.attention.attend import Past
from attnscope.attention.layer_context import LayerContext, Options
from attnscope.attention.masks import Mask
from attnscope.attention.positions import Positions
from attnscope.attention.transformer import forward
from attnscope.weights.schemes import seeded_layer
from tests.attention import plain
from tests.questions import BLOCKS, SEEDS, Body, ask, cross_question, random_question


def equals_plain_loops(body: Body) -> None:
    trace = ask(body)
    planned, shape = trace.plan, trace.plan.model.shape
    if trace.start.position is not None:
        table = plain.sinusoidal(planned.words.n, shape.d_model)
        for b, length in enumerate(planned.words.lengths):
            np.testing.assert_allclose(trace.start.position[b, :length], table[:length], atol=1e-12)
            assert not trace.start.position[b, length:].any()
    start = trace.start.sum
    context = None if trace.context is None else trace.context.x(float).tolist()
    expected = plain.answer(
        body, start.tolist(),
        [{name: a.tolist() for name, a in p.arrays().items()} for p in trace.parameters],
        shape.num_heads, shape.num_kv_heads, shape.d_k, planned.lengths(), context,
    )  # fmt: skip
    assert len(trace.layers) == len(expected)
    for layer, (ours, theirs) in enumerate(zip(trace.layers, expected, strict=True)):
        assert ours.keys() == theirs.keys()
        for name, array in theirs.items():
            np.testing.assert_allclose(
                ours[name], array, rtol=1e-12, atol=1e-12, err_msg=f"layer {layer}, {name}"
            )


@pytest.mark.parametrize("seeds", SEEDS)
def test_every_stage_of_a_random_question_equals_plain_loops(
    seeds: Sequence[int], subtests: pytest.Subtests
) -> None:
    for seed in seeds:
        with subtests.test(seed=seed):
            equals_plain_loops(random_question(seed))
            equals_plain_loops(cross_question(seed))


def test_every_layer_attends_to_the_same_context() -> None:
    model = {"source": "seeded", "num_layers": 3, "block": "pre_norm", "mlp": True}
    layers = ask({"text": "ask me", "context": "what is said there", "model": model}).layers
    assert layers[0]["context"] is layers[1]["context"] is layers[2]["context"]
    assert {layer["k"].shape for layer in layers} == {(1, 4, 4, 16)}


def block_outputs_follow_each_other(block: Block, mlp: bool) -> None:
    rng, shape, kept = np.random.default_rng(0), Shape(2, 1, 4, 2, 2), {}
    layers = [seeded_layer(shape, 0, layer, block=block, mlp=mlp) for layer in range(3)]
    x = rng.normal(size=(1, 5, 4))

    def keep(layer: int, name: str, array: np.ndarray) -> None:
        assert (layer, name) not in kept
        kept[layer, name] = array

    last = forward(
        x, layers, LayerContext(Architecture(shape, 3, block), [(5, 5)], Options(0.5)), keep
    )
    assert kept[0, "x"] is x
    assert last is kept[2, "block_output"]
    for i in range(3):
        assert i == 0 or kept[i, "x"] is kept[i - 1, "block_output"]
        if not mlp and block in ("attention", "residual", "pre_norm"):
            added = kept[i, "x"] if block != "attention" else 0
            np.testing.assert_array_equal(kept[i, "block_output"], added + kept[i, "output"])


def test_the_block_output_is_the_next_layers_x(subtests: pytest.Subtests) -> None:
    for mlp, block in product((False, True), BLOCKS):
        with subtests.test(mlp=mlp, block=block):
            block_outputs_follow_each_other(block, mlp)


def goes_on_as_the_whole(block: Block, positions: Positions) -> None:
    shape = Shape(4, 2, 8, 2, 2)
    layers = [seeded_layer(shape, 1, layer, block=block, bias=True) for layer in range(2)]
    x = np.random.default_rng(0).normal(size=(1, 7, 8))
    options = Options(0.5, mask=Mask(causal=True, window=3))
    architecture = Architecture(shape, 2, block, positions)

    def stages(rows: slice, pasts: list[Past] | None = None) -> list[dict[str, np.ndarray]]:
        kept: list[dict[str, np.ndarray]] = [{}, {}]

        def keep(layer: int, name: str, array: np.ndarray) -> None:
            kept[layer][name] = array

        forward(x[:, rows], layers, LayerContext(architecture, [(7, 7)], options), keep, pasts)
        return kept

    whole, before = stages(slice(7)), stages(slice(4))
    after = stages(slice(4, 7), [Past(layer["k"], layer["v"], 4) for layer in before])
    for ours, theirs in zip(after, whole, strict=True):
        for name in ("k", "v"):
            np.testing.assert_allclose(ours[name], theirs[name], atol=1e-13)
        for name in ("q", "masked_scores", "weights", "output", "block_output"):
            np.testing.assert_allclose(ours[name], theirs[name][..., 4:, :], atol=1e-13)


def test_rows_after_a_past_are_those_of_the_whole(subtests: pytest.Subtests) -> None:
    kinds: tuple[Positions, ...] = ("none", "rotary", "alibi")
    for positions, block in product(kinds, BLOCKS):
        with subtests.test(positions=positions, block=block):
            goes_on_as_the_whole(block, positions)


def test_after_a_post_norm_every_row_has_mean_0_and_variance_1() -> None:
    model = {"source": "seeded", "num_layers": 2, "block": "post_norm", "mlp": True}
    for layer in ask({"text": "a b c", "model": model}).layers:
        for name in ("middle", "block_output"):
            np.testing.assert_allclose(layer[name].mean(axis=-1), 0, atol=1e-14)
            np.testing.assert_allclose(layer[name].var(axis=-1), 1, atol=1e-4)
