"""Training beside PyTorch: the same gradients by autograd, the same losses for fifty steps."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
import torch

from attnscope.toy_training.model import Weights, compute_gradients, initial_weights
from attnscope.toy_training.tasks import NO_TARGET, TASKS, USUAL, Problems, Task
from attnscope.toy_training.training import Recipe, descend, problems

Tensors = dict[str, torch.Tensor]
STEPS = 50


def tensors(weights: Weights) -> Tensors:
    return {name: torch.tensor(array, requires_grad=True)
            for name, array in weights.arrays().items()}  # fmt: skip


def loss(w: Tensors, asked: Problems) -> torch.Tensor:
    """One layer of PyTorch's own attention between two tables, and its own cross-entropy."""
    ids, targets = torch.tensor(asked.ids), torch.tensor(asked.targets)
    x = torch.nn.functional.embedding(ids, w["embedding"]) + w["position"][: ids.shape[1]]
    q, k, v = (x @ w[name] for name in ("w_q", "w_k", "w_v"))
    attended = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    logits = attended @ w["w_o"] @ w["unembedding"]
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=NO_TARGET
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("task", TASKS)
def test_every_gradient_is_that_of_autograd(task: Task, seed: int) -> None:
    recipe = Recipe(task, USUAL[task], seed, 0.3)
    weights, asked = initial_weights(task, recipe.length, seed), problems(recipe, 0)
    theirs, ours = tensors(weights), compute_gradients(weights, asked)
    found = loss(theirs, asked)
    found.backward()
    assert ours.loss == pytest.approx(found.item(), rel=1e-12)
    for name, slope in ours.gradients.arrays().items():
        expected = theirs[name].grad
        assert expected is not None
        np.testing.assert_allclose(slope, expected.numpy(), rtol=1e-10, atol=1e-13, err_msg=name)


@pytest.mark.parametrize("task", TASKS)
def test_fifty_steps_lose_what_they_lose_in_pytorch(task: Task) -> None:
    recipe = Recipe(task, USUAL[task], 1, 0.3)
    start = initial_weights(task, recipe.length, recipe.seed)
    ours = [step.loss for step in islice(descend(recipe, start), STEPS)]
    w = tensors(start)
    optimiser = torch.optim.SGD(w.values(), lr=recipe.rate)
    theirs = []
    for step in range(STEPS):
        optimiser.zero_grad()
        found = loss(w, problems(recipe, step))
        found.backward()
        optimiser.step()
        theirs.append(found.item())
    assert theirs[-1] < theirs[0]
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)
