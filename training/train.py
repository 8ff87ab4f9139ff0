"""Training, deterministic on one machine with one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from training.network import Decoder
from training.recipes import Recipe
from training.solving import NOT_ASKED

Tensors = dict[str, np.ndarray]

AT_ONCE = 512  # rows of logits

# [rows, n] each; NOT_ASKED without a target.
Batch = tuple[np.ndarray, np.ndarray]


def train(recipe: Recipe, batch: Callable[[np.random.Generator], Batch]) -> Iterator[Tensors]:
    """Before every step, and after the last."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(recipe.seed)
    draw = np.random.default_rng(recipe.seed)
    network = Decoder(recipe)
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=recipe.rate, weight_decay=recipe.weight_decay
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate(step, recipe))
    for _ in range(recipe.steps):
        yield tensors(network)
        ids, targets = (torch.from_numpy(np.ascontiguousarray(a)) for a in batch(draw))
        optimiser.zero_grad()
        backward(network, ids, targets)
        optimiser.step()
        schedule.step()
    yield tensors(network)


def backward(network: Decoder, ids: torch.Tensor, targets: torch.Tensor) -> None:
    """Gradients of the mean cross entropy. Computes the logits of AT_ONCE rows, which a cache
    holds."""
    asked = targets != NOT_ASKED
    y = network(ids, asked)
    rows, right = y.detach().requires_grad_(), targets[asked]
    for part, answer in zip(rows.split(AT_ONCE), right.split(AT_ONCE), strict=True):
        loss = cross_entropy(network.logits(part), answer, reduction="sum") / len(right)
        loss.backward()
    y.backward(rows.grad)


def rate(step: int, recipe: Recipe) -> float:
    return min(1.0, (recipe.steps - step) / (recipe.cooling * recipe.steps))


def tensors(network: Decoder) -> Tensors:
    """The next step modifies them."""
    return {name: p.detach().numpy() for name, p in network.named_parameters()}
