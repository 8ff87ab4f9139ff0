"""Sharing key/value heads: nothing is lost where the heads are alike, and less is kept."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from attnscope.analysis.sharing import pool_heads, sharing
from attnscope.attention.architecture import Shape
from attnscope.weights.schemes import seeded_layer
from tests.questions import ask

TEXT = "one two three four five six"


def seeded(**model: Any) -> dict[str, Any]:
    return {"text": TEXT, "model": {"source": "seeded", "num_heads": 8, "num_layers": 2, **model}}


def test_its_own_number_of_heads_costs_nothing(subtests: pytest.Subtests) -> None:
    for positions, block in product(
        ("sinusoidal", "rotary", "alibi"), ("attention", "pre_norm", "sublayer_norm")
    ):
        with subtests.test(positions, block=block):
            trace = ask(seeded(block=block, positions=positions, bias=True, num_kv_heads=4))
            for layer in range(2):
                own, *fewer = sharing(trace, layer, 0)
                assert (own.name, own.num_kv_heads, own.own) == ("gqa", 4, True)
                assert own.max_weight_error < 1e-12
                assert own.relative_error < 1e-12
                assert [one.num_kv_heads for one in fewer] == [2, 1]
                assert min(one.relative_error for one in fewer) > 0.01


def test_fewer_heads_keep_less() -> None:
    found = sharing(ask(seeded()), 0, 0)
    assert [one.name for one in found] == ["mha", "gqa", "gqa", "mqa"]
    first = found[0]
    assert first.parameters == 2 * 64 * 64
    assert first.cache_bytes == 2 * 6 * 2 * 64 * 8
    for one in found:
        assert one.parameters * 8 == first.parameters * one.num_kv_heads
        assert one.cache_bytes * 8 == first.cache_bytes * one.num_kv_heads


def test_heads_that_are_alike_share_without_loss() -> None:
    rng = np.random.default_rng(0)
    one = {name: rng.normal(size=(6, 3)) for name in ("w_k", "w_v")}
    model = {"source": "explicit", "num_heads": 4, "w_q": rng.normal(size=(6, 12)).tolist()}
    model |= {name: np.tile(w, 4).tolist() for name, w in one.items()}
    found = sharing(ask({"text": TEXT, "model": model}), 0, 0)
    assert [row.num_kv_heads for row in found] == [4, 2, 1]
    assert max(row.relative_error for row in found) < 1e-14


def test_a_shared_head_is_the_mean_of_its_group() -> None:
    shape = Shape(num_heads=4, num_kv_heads=4, d_model=8, d_k=2, d_v=3)
    p = seeded_layer(shape, 0, 0, bias=True)
    half = pool_heads(p, shape, 2)
    assert half.w_k.shape == (8, 4)
    assert half.w_k[:, :2] == pytest.approx((p.w_k[:, :2] + p.w_k[:, 2:4]) / 2)
    assert half.w_v[:, 3:] == pytest.approx((p.w_v[:, 6:9] + p.w_v[:, 9:]) / 2)
    assert p.b_v is not None
    assert pool_heads(p, shape, 1).b_v == pytest.approx(p.b_v.reshape(4, 3).mean(axis=0))
    assert half.w_q is p.w_q


def test_in_cross_attention_the_contexts_rows_are_shared() -> None:
    own, *_, single = sharing(ask({**seeded(), "context": "what is said"}), 1, 0)
    assert own.relative_error < 1e-12
    assert single.cache_bytes == 2 * 3 * 16 * 8


def test_an_output_of_zeros_has_no_relative_error() -> None:
    zeros = np.zeros((2, 2)).tolist()
    model = {"source": "explicit", "num_heads": 2, "w_q": zeros, "w_k": zeros, "w_v": zeros}
    found = sharing(ask({"x": [[1, 2]], "model": model}), 0, 0)
    assert {row.relative_error for row in found} == {0}
