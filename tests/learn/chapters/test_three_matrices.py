"""Q, K and V: what the chapter says of its figures is what the engine computes."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.learn.chapters.three_matrices import POT
from attnscope.learn.exercises import stage

POT_AT, BOILS, LIFT, IT = range(4)


def test_it_looks_at_the_pot_and_carries_off_heavy() -> None:
    assert stage(POT, "weights")[0, IT].argmax() == POT_AT
    np.testing.assert_allclose(stage(POT, "head_outputs")[0, IT], [0, 3, 0], atol=0.2)


def test_pot_takes_equal_parts_of_two_acts_with_different_values() -> None:
    weights, v = stage(POT, "weights")[0, POT_AT], stage(POT, "v")[0]
    assert weights[BOILS] == weights[LIFT] == weights.max()
    assert v[BOILS] @ v[LIFT] == 0


def test_with_one_matrix_for_q_and_k_a_word_scores_itself_highest_of_all(
    subtests: pytest.Subtests,
) -> None:
    for seed in range(3):
        with subtests.test(seed=seed):
            model = {"source": "seeded", "share": "qk", "seed": seed}
            body = {"text": "The cat sat on the mat", "causal": False, "model": model}
            for scores in stage(body, "scores"):
                np.testing.assert_allclose(scores, scores.T, rtol=0, atol=1e-12)
                assert scores.max() == scores.diagonal().max()
