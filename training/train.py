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

# Inputs and targets, both [rows, n]; NOT_ASKED without a target.
Batch = tuple[np.ndarray, np.ndarray]


def train(recipe: Recipe, batch: Callable[[np.random.Generator], Batch]) -> Iterator[Tensors]:
    """The weights before every step, and after the last."""
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
        logits = network(ids)
        loss = cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=NOT_ASKED)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    yield tensors(network)


def rate(step: int, recipe: Recipe) -> float:
    """Factor on the learning rate: 1, then linearly to 0 over the last part."""
    return min(1.0, (recipe.steps - step) / (recipe.cooling * recipe.steps))


def tensors(network: Decoder) -> Tensors:
    """The weights by name; the next step modifies them."""
    return {name: p.detach().numpy() for name, p in network.named_parameters()}
