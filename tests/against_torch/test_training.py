"""What is trained in PyTorch is what the app computes, and is the same every time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from training.lessons import lesson
from training.network import Decoder
from training.opened import run_of
from training.recipes import RECIPES, Recipe
from training.train import rate, tensors, train

SMALL = replace(RECIPES["reversal"], steps=8)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize(
    "recipe",
    [SMALL, replace(SMALL, hidden=48), replace(SMALL, num_heads=1), replace(SMALL, tied=True)],
)
def test_the_network_is_what_the_app_computes(recipe: Recipe) -> None:
    torch.manual_seed(1)
    network = Decoder(recipe)
    ids = np.random.default_rng(1).integers(recipe.vocabulary, size=(3, recipe.context))
    with torch.no_grad():
        everywhere = torch.ones(ids.shape, dtype=torch.bool)
        logits = network.logits(network(torch.from_numpy(ids), everywhere))
        expected = logits.unflatten(0, ids.shape).numpy()
    found = run_of(recipe.config(), tensors(network))(ids).logits
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_training_twice_gives_the_same_weights() -> None:
    first, second = ([*train(SMALL, lesson(SMALL).batch)][-1] for _ in range(2))
    assert first.keys() == second.keys()
    for name, array in first.items():
        assert np.array_equal(array, second[name])


def test_the_rate_goes_down_to_nothing_over_the_last_part() -> None:
    recipe = replace(SMALL, steps=100, cooling=0.25)
    assert [rate(step, recipe) for step in (0, 75, 100)] == [1, 1, 0]
    assert rate(90, recipe) == pytest.approx(0.4)
