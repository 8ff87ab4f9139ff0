"""Variants: what sharing a matrix for q and k does to the rows."""

from __future__ import annotations

import numpy as np

from app.learn.chapters.asking import WORDS
from app.learn.chapters.variants import own_rows, told
from app.learn.exercises import stage


def test_with_one_matrix_a_word_often_looks_hardest_at_itself() -> None:
    own, rows = own_rows("qk", 64)
    assert own > 0.9 * rows
    assert own_rows("none", 64)[0] < 0.2 * rows
    assert 0.4 * rows < own_rows("qk", 16)[0] < own
    assert told()["own"] == str(own)


def test_with_one_matrix_a_score_with_itself_is_a_length_squared() -> None:
    model = {"source": "seeded", "num_heads": 1, "share": "qk"}
    body = {"tokens": list(WORDS), "causal": False, "model": model}
    scores, k = stage(body, "scores")[0], stage(body, "k")[0]
    np.testing.assert_allclose(np.diag(scores), (k * k).sum(-1))
    of_length_one = scores / np.linalg.norm(k, axis=-1)  # the keys of Reformer
    np.testing.assert_array_equal(of_length_one.argmax(-1), np.arange(len(WORDS)))
