"""Variants: what sharing a matrix for q and k does to the rows."""

from __future__ import annotations

import numpy as np

from attnscope.learn.chapters.asking import WORDS
from attnscope.learn.chapters.variants import (
    D_MODEL,
    bias_rows,
    biased,
    count_rows,
    own_row_counts,
    own_rows,
)
from attnscope.learn.exercises import compute_trace, stage


def test_with_one_matrix_a_word_often_looks_hardest_at_itself() -> None:
    own, rows = own_rows("qk", 64)
    assert own > 0.9 * rows
    assert own_rows("none", 64)[0] < 0.2 * rows
    assert 0.4 * rows < own_rows("qk", 16)[0] < own
    assert own_row_counts()["own"] == str(own)


def test_with_one_matrix_a_score_with_itself_is_a_length_squared() -> None:
    model = {"source": "seeded", "num_heads": 1, "share": "qk"}
    body = {"tokens": list(WORDS), "causal": False, "model": model}
    scores, k = stage(body, "scores")[0], stage(body, "k")[0]
    np.testing.assert_allclose(np.diag(scores), (k * k).sum(-1))
    of_length_one = scores / np.linalg.norm(k, axis=-1)  # the keys of Reformer
    np.testing.assert_array_equal(of_length_one.argmax(-1), np.arange(len(WORDS)))


def test_heads_are_narrower_and_take_no_more_numbers() -> None:
    for heads, d_k, one, every in count_rows():
        assert int(heads) * int(d_k) == D_MODEL
        assert int(one.split(" = ")[1].replace(",", "")) == 3 * D_MODEL * int(d_k)
        assert every.endswith(f"= {3 * D_MODEL**2:,}")


def test_a_key_bias_moves_scores_and_no_weight() -> None:
    moved = {row[0]: row[1:] for row in bias_rows()}
    assert (moved["b_k"][0] != "0", moved["b_k"][1:]) == (True, ["0", "0"])
    assert moved["b_v"][:2] == ["0", "0"] != moved["b_v"][1:]
    assert "0" not in moved["b_q"]


def test_a_value_bias_adds_one_row_to_every_output() -> None:
    body, whole = biased()
    without = compute_trace({**body, "model": {**body["model"], "b_v": None}})
    p = whole.parameters[0]
    assert p.b_v is not None
    assert p.w_o is not None
    apart = whole.layers[0]["output"][0] - without.layers[0]["output"][0]
    np.testing.assert_allclose(apart, np.tile(p.b_v @ p.w_o, (len(apart), 1)), atol=1e-12)
