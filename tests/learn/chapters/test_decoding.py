"""Decoding: what the cache costs."""

from __future__ import annotations

import pytest

from attnscope.learn.exercises import compute_trace


@pytest.mark.parametrize(("d_model", "heads"), [(16, 2), (64, 4)])
def test_a_cache_of_twice_d_words_has_as_many_numbers_as_the_matrices(
    d_model: int, heads: int
) -> None:
    model = {"source": "seeded", "d_model": d_model, "num_heads": heads}
    trace = compute_trace({"tokens": [f"w{at}" for at in range(2 * d_model)], "model": model})
    (layer,), matrices = trace.layers, trace.parameters[0].arrays()
    cache = layer["k"].size + layer["v"].size
    assert cache == sum(matrices[name].size for name in ("w_q", "w_k", "w_v", "w_o"))


def test_fewer_key_value_heads_shrink_the_cache_as_much(subtests: pytest.Subtests) -> None:
    for kv_heads in (1, 2, 4, 8):
        with subtests.test(kv_heads=kv_heads):
            sizes = []
            for count in (8, kv_heads):
                model = {"source": "seeded", "num_heads": 8, "num_kv_heads": count}
                layer = compute_trace({"tokens": ["one", "two"], "model": model}).layers[0]
                sizes.append(layer["k"].size + layer["v"].size)
            assert sizes[1] * 8 == sizes[0] * kv_heads
