"""Stage by stage, against lists and loops; and what must hold for any numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnscope.attention.architecture import Architecture, Parameters, Shape
from attnscope.attention.attend import MAPS, attend, attend_heads, merge_heads, split_heads
from attnscope.attention.layer_context import LayerContext, Options
from attnscope.attention.masks import Mask
from tests.attention import plain

SEEDS = st.integers(0, 2**32 - 1)
NUMBERS = st.floats(-4, 4, width=32)


def near(ours: np.ndarray, expected: Any, message: str = "") -> None:
    np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12, err_msg=message)


def parts(
    n: int, m: int | None = None, heads: int = 2, kv_heads: int = 1, batch: int = 1, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, k, v with d_k = 4 and d_v = 3."""
    rng, m = np.random.default_rng(seed), n if m is None else m
    q = rng.normal(size=(batch, heads, n, 4))
    return q, rng.normal(size=(batch, kv_heads, m, 4)), rng.normal(size=(batch, kv_heads, m, 3))


def setting_of(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: list[tuple[int, int]], options: Options
) -> LayerContext:
    """Of the heads that q, k and v have."""
    shape = Shape(q.shape[1], k.shape[1], q.shape[1], q.shape[3], v.shape[3])
    return LayerContext(Architecture(shape), lengths, options)


def maps_of(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: Mask, scale: float = 0.5,
    temperature: float = 1.0,
) -> dict[str, np.ndarray]:  # fmt: skip
    lengths = [(q.shape[2], k.shape[2])] * len(q)
    maps, head_outputs = attend_heads(
        q, k, v, setting_of(q, k, v, lengths, Options(scale, temperature, mask))
    )
    return {**maps, "head_outputs": head_outputs}


def cross_attention_equals_plain_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    (n, m, d_model, kv_heads, group, d_k, d_v, out) = rng.integers(1, 5, 8).tolist()
    shape = Shape(kv_heads * group, kv_heads, d_model, d_k, d_v)
    p = Parameters(
        **{name: rng.normal(size=shape.of(name, out)) for name in ("w_q", "w_k", "w_v", "b_k")},
        **({"w_o": rng.normal(size=shape.of("w_o", out))} if seed % 2 else {}),
    )
    x, context = rng.normal(size=(2, n, d_model)), rng.normal(size=(2, m, d_model))
    mask = Mask(blocked=frozenset([(0, 0), (n - 1, m - 1)]))
    lengths = [(n, m), (max(1, n - 1), max(1, m - 1))]
    stages: dict[str, np.ndarray] = {}
    options = Options(0.7, 1.3, mask)
    result = attend(
        x,
        p,
        LayerContext(Architecture(shape), lengths, options, context=context),
        stages.__setitem__,
    )
    listed = {name: array.tolist() for name, array in p.arrays().items()}
    closed = {"blocked": [[0, 0], [n - 1, m - 1]], "causal": False}
    for b, (queries, keys) in enumerate(lengths):

        def may_attend(i: int, j: int, queries: int = queries, keys: int = keys) -> bool:
            return plain.is_open(closed, i, j, queries, keys)

        expected = plain.attend(
            x[b].tolist(), context[b].tolist(), listed,
            shape.num_heads, kv_heads, 0.7 / 1.3, may_attend,
        )  # fmt: skip
        assert list(stages) == list(expected), "tests/attention/plain.py makes other stages"
        for name, array in expected.items():
            near(stages[name][b], array, name)
    assert result is stages["output"]


def test_cross_attention_equals_plain_loops(subtests: pytest.Subtests) -> None:
    for seed in range(12):
        with subtests.test(seed=seed):
            cross_attention_equals_plain_loops(seed)


def test_without_w_o_the_output_is_the_heads_side_by_side() -> None:
    rng, shape = np.random.default_rng(1), Shape(2, 2, 3, 2, 2)
    stages: dict[str, np.ndarray] = {}
    p = Parameters(*(rng.normal(size=shape.of(name)) for name in ("w_q", "w_k", "w_v")))
    x = rng.normal(size=(1, 4, 3))
    attend(x, p, LayerContext(Architecture(shape), [(4, 4)], Options(1.0)), stages.__setitem__)
    np.testing.assert_array_equal(stages["output"], stages["concat"])
    heads = [stages["head_outputs"][:, h] for h in range(2)]
    np.testing.assert_array_equal(stages["concat"], np.concatenate(heads, axis=-1))


def test_splitting_and_merging_heads_undo_each_other() -> None:
    a = np.arange(24.0).reshape(2, 3, 4)
    apart = split_heads(a, 2)
    assert apart.shape == (2, 2, 3, 2)
    np.testing.assert_array_equal(apart[1, 1, 2], [22, 23])
    assert apart.flags.c_contiguous
    np.testing.assert_array_equal(merge_heads(apart), a)


@given(arrays(np.float64, (1, 1, 5, 4), elements=NUMBERS), SEEDS)
def test_rows_sum_to_one_or_are_exactly_zero(q: np.ndarray, seed: int) -> None:
    _, k, v = parts(5, seed=seed)
    cells = np.random.default_rng(seed).random((5, 5)) < 0.6
    mask = Mask(blocked=frozenset((int(i), int(j)) for i, j in np.argwhere(cells)))
    weights = maps_of(q, k, v, mask)["weights"][0, 0]
    near(weights[~cells.all(axis=1)].sum(axis=-1), 1.0)
    assert (weights[cells.all(axis=1)] == 0).all()
    assert (weights[cells] == 0).all()
    assert (weights >= 0).all()


@given(SEEDS, st.integers(1, 9))
def test_causal_weights_are_lower_triangular(seed: int, n: int) -> None:
    weights = maps_of(*parts(n, seed=seed), Mask(causal=True))["weights"]
    np.testing.assert_array_equal(weights, np.tril(weights))
    near(weights[0, :, 0, 0], 1.0)


@given(SEEDS, st.permutations(range(6)))
def test_permuting_the_tokens_permutes_rows_and_columns(seed: int, order: list[int]) -> None:
    q, k, v = parts(6, seed=seed)
    straight = maps_of(q, k, v, Mask())
    mixed = maps_of(q[:, :, order], k[:, :, order], v[:, :, order], Mask())
    for name in MAPS:
        near(mixed[name], straight[name][:, :, order][..., order], name)
    near(mixed["head_outputs"], straight["head_outputs"][:, :, order])


@given(SEEDS, st.floats(-8, 8))
def test_scaling_q_scales_the_scores(seed: int, c: float) -> None:
    q, k, v = parts(4, seed=seed)
    once, scaled = maps_of(q, k, v, Mask()), maps_of(c * q, k, v, Mask())
    near(scaled["scores"], c * once["scores"])
    near(scaled["weights"], maps_of(q, k, v, Mask(), scale=0.5 * c)["weights"])


@given(SEEDS, st.floats(0.1, 10))
def test_temperature_divides_and_scale_multiplies(seed: int, t: float) -> None:
    q, k, v = parts(4, seed=seed)
    warm = maps_of(q, k, v, Mask(causal=True), scale=0.5, temperature=t)
    near(warm["scaled_scores"], warm["scores"] * 0.5 / t)
    same = maps_of(q, k, v, Mask(causal=True), scale=0.5 / t)
    near(warm["weights"], same["weights"])
    np.testing.assert_array_equal(warm["scores"], same["scores"])


def test_a_scale_of_zero_gives_every_open_key_the_same_weight() -> None:
    weights = maps_of(*parts(5), Mask(causal=True), scale=0.0)["weights"]
    expected = np.tril(np.ones((5, 5))) / np.arange(1, 6)[:, None]
    np.testing.assert_array_equal(weights, np.broadcast_to(expected, weights.shape))


def test_heat_flattens_the_weights_and_cold_sharpens_them() -> None:
    near(maps_of(*parts(4), Mask(), temperature=1e15)["weights"], 0.25)
    cold = maps_of(*parts(4), Mask(), temperature=1e-6)["weights"]
    near(cold.max(axis=-1), 1.0)


@given(SEEDS, st.integers(1, 5), st.integers(0, 4))
def test_padding_does_not_change_the_real_rows(seed: int, n: int, more: int) -> None:
    q, k, v = parts(n + more, seed=seed)
    options = Options(0.5, 1.0, Mask(causal=True))
    padded, padded_outputs = attend_heads(q, k, v, setting_of(q, k, v, [(n, n)], options))
    some_q, some_k, some_v = (a[:, :, :n] for a in (q, k, v))
    short, outputs = attend_heads(some_q, some_k, some_v, setting_of(q, k, v, [(n, n)], options))
    for name in MAPS:
        near(padded[name][:, :, :n, :n], short[name], name)
    near(padded_outputs[:, :, :n], outputs)
    assert (padded["weights"][:, :, n:] == 0).all()
    assert (padded["weights"][..., n:] == 0).all()
    assert (padded_outputs[:, :, n:] == 0).all()


def test_masked_cells_are_minus_infinity_and_open_ones_are_untouched() -> None:
    maps = maps_of(*parts(4), Mask(causal=True))
    upper = np.triu(np.ones((4, 4), bool), 1)
    assert (maps["masked_scores"][..., upper] == -np.inf).all()
    np.testing.assert_array_equal(
        maps["masked_scores"][..., ~upper], maps["scaled_scores"][..., ~upper]
    )
    assert np.isfinite(maps["scaled_scores"]).all()


def test_grouped_heads_read_the_key_head_they_share() -> None:
    q, k, v = parts(3, heads=6, kv_heads=2)
    grouped = maps_of(q, k, v, Mask())
    spread = maps_of(q, np.repeat(k, 3, axis=1), np.repeat(v, 3, axis=1), Mask())
    for name, array in spread.items():
        np.testing.assert_array_equal(grouped[name], array, name)


def test_float32_stays_float32_and_near_float64() -> None:
    arrays64 = parts(20)
    exact = maps_of(*arrays64, Mask(causal=True))
    q, k, v = (a.astype(np.float32) for a in arrays64)
    narrow = maps_of(q, k, v, Mask(causal=True))
    for name, array in narrow.items():
        assert array.dtype == np.float32
        np.testing.assert_allclose(array, exact[name], rtol=1e-4, atol=1e-5)
