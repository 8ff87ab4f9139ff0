from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from attnscope.toy_training.model import initial_weights
from attnscope.toy_training.steps import Recipe, Step, descend, weights_cache
from attnscope.toy_training.tasks import vocabulary


@dataclass(frozen=True)
class Training:
    """`losses[s]`: loss after s steps."""

    losses: list[float]
    snapshots: list[Step]
    diverged_at: int | None


def train(recipe: Recipe, steps: int, snapshots: int, between: Callable[[Step], None]) -> Training:
    """Train, and keep up to `snapshots` + 1 evenly spaced steps."""
    shown_steps = {round(steps * i / snapshots) for i in range(snapshots + 1)}
    losses: list[float] = []
    shown: list[Step] = []
    for step in descend(recipe, initial_weights(recipe.task, recipe.length, recipe.seed)):
        between(step)
        if step.step < steps:
            losses.append(step.loss)
        if step.step in shown_steps or step.diverged:
            shown.append(step)
            weights_cache.put(recipe, step.step, step.weights)
        if step.step == steps:
            break
    return Training(losses, shown, shown[-1].step if shown[-1].diverged else None)


def uniform_loss(recipe: Recipe) -> float:
    return math.log(len(vocabulary(recipe.task)))
