"""Heads: two heads are not one head cut in two."""

from __future__ import annotations

import numpy as np

from attnscope.learn.chapters.heads import OUTING, given_heads
from attnscope.learn.chapters.scores import rows
from attnscope.learn.exercises import stage


def test_two_heads_and_one_head_cut_in_two_are_the_rows_of_the_text() -> None:
    one_head = {**OUTING, "model": {**OUTING["model"], "num_heads": 1}}
    np.testing.assert_array_equal(stage(OUTING, "concat")[0].round(2), [0.50, 0.25, 0.80, 0.20])
    np.testing.assert_array_equal(stage(one_head, "concat")[0].round(2), [0.51, 0.31, 0.81, 0.19])
    np.testing.assert_allclose(stage(OUTING, "weights")[0, 2], 1 / 3)


def test_scores_of_heads_add_up_to_the_score_of_one_wide_head() -> None:
    rng = np.random.default_rng(0)
    q, k = rows(rng, 3, 6), rows(rng, 3, 6)
    heads, wide = (stage(given_heads(q, k, count), "scores") for count in (3, 1))
    np.testing.assert_array_equal(heads.sum(axis=0), wide[0])
