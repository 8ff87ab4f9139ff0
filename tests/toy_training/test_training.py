"""One training: a loss for each step, snapshots evenly spread, and where it diverged."""

from __future__ import annotations

import math

import numpy as np
import pytest

from attnscope.toy_training.training import (
    Recipe,
    Step,
    problems,
    train,
    uniform_loss,
    weights_cache,
)

RECIPE = Recipe("copy", 4, 11, 0.3)


def nothing(step: Step) -> None:
    """Between two steps."""


def test_there_is_a_loss_for_each_step_and_snapshots_from_the_first_to_the_last() -> None:
    found = train(RECIPE, 10, 4, nothing)
    assert len(found.losses) == 10
    assert [step.step for step in found.snapshots] == [0, 2, 5, 8, 10]
    assert [step.loss for step in found.snapshots[:-1]] == [found.losses[i] for i in (0, 2, 5, 8)]
    assert all(weights_cache.has(RECIPE, step.step) for step in found.snapshots)
    assert found.diverged_at is None


def test_of_few_steps_each_is_one_snapshot() -> None:
    assert [step.step for step in train(RECIPE, 2, 20, nothing).snapshots] == [0, 1, 2]


def test_a_diverging_training_says_where_and_keeps_that_step() -> None:
    found = train(Recipe("copy", 4, 11, 8.0), 100, 2, nothing)
    assert found.diverged_at == found.snapshots[-1].step == len(found.losses) - 1 < 10


def test_what_goes_on_between_the_steps_can_end_it() -> None:
    def leave(step: Step) -> None:
        if step.step == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train(RECIPE, 10, 1, leave)


def test_guessing_loses_the_logarithm_of_the_vocabulary() -> None:
    words = len(np.unique(np.concatenate([problems(RECIPE, step).ids for step in range(9)])))
    assert uniform_loss(RECIPE) == math.log(words + 1)  # and one for what is unknown
