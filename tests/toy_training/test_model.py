"""The model that is trained: a seeded one at first, and its derivatives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attnscope.attention.architecture import Parameters
from attnscope.learn.exercises import compute_trace
from attnscope.toy_training.model import (
    D_MODEL,
    SMALLER,
    Weights,
    compute_gradients,
    initial_weights,
    run,
)
from attnscope.toy_training.tasks import NO_TARGET, TASKS, USUAL, Problems, Task
from attnscope.toy_training.training import Recipe, problems


def a_problem(task: Task) -> tuple[Weights, Problems]:
    recipe = Recipe(task, USUAL[task], 3, 0.3)
    return initial_weights(task, recipe.length, recipe.seed), problems(recipe, 0)


def test_before_the_first_step_it_is_a_seeded_model_with_smaller_numbers() -> None:
    asked = {"text": "a b c d | a b c", "model": {"source": "trained", "seed": 5, "step": 0}}
    ours = compute_trace(asked)
    sizes = {"d_model": D_MODEL, "num_heads": 1, "positions": "learned", "seed": 5}
    seeded = compute_trace(
        {**asked, "tokenizer": "whitespace", "model": {"source": "seeded", **sizes}}
    )
    p, q = ours.parameters[0], seeded.parameters[0]
    np.testing.assert_array_equal(ours.layers[0]["x"], SMALLER * seeded.layers[0]["x"])
    np.testing.assert_array_equal(p.w_q, SMALLER * q.w_q)
    np.testing.assert_array_equal(p.w_k, SMALLER * q.w_k)
    np.testing.assert_array_equal(p.w_v, q.w_v)
    np.testing.assert_allclose(
        ours.layers[0]["scores"], SMALLER**4 * seeded.layers[0]["scores"], rtol=1e-12
    )


@pytest.mark.parametrize("task", TASKS)
def test_the_loss_is_the_mean_surprise_of_what_was_asked(task: Task) -> None:
    weights, asked = a_problem(task)
    found = compute_gradients(weights, asked)
    _, y = run(weights, asked.ids)
    surprises, right = [], []
    for b, row in zip(*np.nonzero(asked.targets != NO_TARGET), strict=True):
        chances = np.exp(y[b, row] @ weights.unembedding)
        target = asked.targets[b, row]
        surprises.append(-np.log(chances[target] / chances.sum()))
        right.append(chances.argmax() == target)
    assert found.loss == pytest.approx(np.mean(surprises), rel=1e-12)
    assert found.solved == pytest.approx(np.mean(right))


@pytest.mark.parametrize("task", TASKS)
def test_every_gradient_is_the_slope_along_a_random_direction(task: Task) -> None:
    weights, asked = a_problem(task)
    slopes = compute_gradients(weights, asked).gradients.arrays()
    rng = np.random.default_rng(0)
    for name, array in weights.arrays().items():
        direction = rng.normal(size=array.shape)
        losses = [
            compute_gradients(moved(weights, name, step * direction), asked).loss
            for step in (1e-6, -1e-6)
        ]
        expected = (losses[0] - losses[1]) / 2e-6
        assert (slopes[name] * direction).sum() == pytest.approx(expected, rel=1e-5, abs=1e-8), name


def moved(weights: Weights, name: str, by: np.ndarray) -> Weights:
    tensors = weights.layer.arrays()
    if name in tensors:
        return replace(weights, layer=Parameters(**{**tensors, name: tensors[name] + by}))
    return replace(weights, **{name: getattr(weights, name) + by})


def test_all_rows_at_once_lose_what_they_lose_word_by_word() -> None:
    """Teacher forcing: the mask lets no row see what comes after it."""
    weights, asked = a_problem("copy")
    at_once = compute_gradients(weights, asked).surprises
    for row in range(4, 8):
        alone = Problems(asked.ids[:, : row + 1], asked.targets[:, : row + 1])
        found = compute_gradients(weights, alone).surprises
        np.testing.assert_allclose(found[:, row], at_once[:, row], atol=1e-13)
