"""Steps: the same bits from a seed, memory that may forget, and training that diverges."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from attnscope.errors import InvalidRequest, TooLarge
from attnscope.toy_training.model import Weights, initial_weights
from attnscope.toy_training.training import (
    DIVERGED_LOSS,
    MOST_STEPS,
    Recipe,
    Step,
    WeightsCache,
    check_steps,
    descend,
    weights_after,
)

RECIPE = Recipe("reverse", 4, 7, 0.3)


def first(count: int, recipe: Recipe = RECIPE) -> list[Step]:
    return list(
        islice(descend(recipe, initial_weights(recipe.task, recipe.length, recipe.seed)), count)
    )


def same(ours: Weights, theirs: Weights) -> bool:
    others = theirs.arrays()
    return all(np.array_equal(array, others[name]) for name, array in ours.arrays().items())


def nothing() -> None:
    """Between two steps."""


def test_a_seed_gives_the_same_bits_and_another_seed_others() -> None:
    once, again = first(4), first(4)
    assert [step.loss for step in once] == [step.loss for step in again]
    assert same(once[-1].weights, again[-1].weights)
    assert first(1, Recipe("reverse", 4, 8, 0.3))[0].loss != once[0].loss


def test_a_step_goes_against_the_gradient_and_problems_are_new() -> None:
    (before, after) = first(2)
    assert before.step == 0
    assert after.step == 1
    assert after.loss != before.loss
    change = before.weights.layer.w_v - after.weights.layer.w_v
    assert np.linalg.norm(change) == pytest.approx(RECIPE.rate * before.gradients["w_v"])


@pytest.mark.parametrize(("task", "seed"), [("copy", 0), ("reverse", 1)])
def test_a_task_is_learned(task: str, seed: int) -> None:
    last = first(31, Recipe(task, 4, seed, 1.0))[-1]  # type: ignore[arg-type]
    assert last.loss < 0.05
    assert last.solved > 0.95


def test_the_noun_of_a_pronoun_is_found() -> None:
    assert first(81, Recipe("agree", 2, 0, 0.3))[-1].solved > 0.9


def test_weights_are_trained_again_from_the_nearest_step_to_the_same_bits() -> None:
    cache = WeightsCache(3)
    straight = first(6)[-1].weights
    made: list[int] = []
    assert same(weights_after(RECIPE, 3, lambda: made.append(1), cache=cache), first(4)[-1].weights)
    assert len(made) == 4
    assert same(weights_after(RECIPE, 5, lambda: made.append(1), cache=cache), straight)
    assert len(made) == 7  # from step 3 on
    assert same(weights_after(RECIPE, 5, lambda: made.append(1), cache=cache), straight)
    assert len(made) == 7
    assert cache.has(RECIPE, 5)


def test_memory_forgets_what_was_asked_for_longest_ago() -> None:
    cache = WeightsCache(3)
    for steps in range(4):
        weights_after(RECIPE, steps, nothing, cache=cache)
    assert not cache.has(RECIPE, 0)
    assert [cache.has(RECIPE, steps) for steps in (1, 2, 3)] == [True] * 3
    assert cache.nearest(RECIPE, 0) is None
    assert cache.nearest(Recipe("copy", 4, 7, 0.3), 9) is None


def test_training_that_diverges_ends_where_it_does_and_goes_no_further() -> None:
    recipe = Recipe("copy", 4, 0, 8.0)
    *before, last = first(50, recipe)
    assert last.diverged
    assert not last.loss <= DIVERGED_LOSS
    assert not any(step.diverged for step in before)
    assert last.step < 10
    cache = WeightsCache(3)
    assert same(weights_after(recipe, last.step, nothing, cache=cache), last.weights)
    with pytest.raises(InvalidRequest) as refused:
        weights_after(recipe, last.step + 1, nothing, cache=cache)
    assert refused.value.values["step"] == last.step


def test_a_rate_beyond_all_measure_is_divergence_and_no_warning() -> None:
    assert first(9, Recipe("agree", 3, 0, 1000.0))[-1].diverged


def test_more_steps_than_are_made_are_refused() -> None:
    check_steps(MOST_STEPS, "steps")
    with pytest.raises(TooLarge):
        check_steps(MOST_STEPS + 1, "steps")
