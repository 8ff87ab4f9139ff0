"""Stochastic gradient descent (Robbins & Monro 1951).

Each step draws problems from a stream of its own, so training can continue at any step.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock

import numpy as np

from attnscope.errors import InvalidRequest, TooLarge
from attnscope.toy_training.model import MATRICES, Weights, compute_gradients, initial_weights
from attnscope.toy_training.tasks import Problems, Task, draw_problems, vocabulary
from attnscope.weights.schemes import stream_of

PROBLEMS = 0x70726F62
BATCH_SIZE = 16
USUAL_RATE, USUAL_STEPS = 0.3, 200
MOST_STEPS = 1000  # a few seconds
DIVERGED_LOSS = 1e3  # training never recovers from it
KEPT = 256  # weights, 50 KB each


@dataclass(frozen=True)
class Recipe:
    """Determines all weights, bit for bit on one machine."""

    task: Task
    length: int
    seed: int
    rate: float


@dataclass(frozen=True)
class Step:
    """`loss`, `solved`: on new problems. `gradients`: norms by matrix."""

    step: int
    weights: Weights
    loss: float
    solved: float
    gradients: dict[str, float]

    @property
    def diverged(self) -> bool:
        finite = all(map(math.isfinite, self.gradients.values()))
        return not (finite and self.loss <= DIVERGED_LOSS)


def problems(recipe: Recipe, step: int) -> Problems:
    return draw_problems(
        recipe.task, recipe.length, BATCH_SIZE, stream_of(recipe.seed, PROBLEMS, step)
    )


def descend(recipe: Recipe, weights: Weights, first: int = 0) -> Iterator[Step]:
    """Yield steps without end, or up to divergence."""
    step = first
    while True:
        found = compute_gradients(weights, problems(recipe, step))
        slopes = found.gradients.arrays()
        with np.errstate(over="ignore"):
            lengths = {name: float(np.linalg.norm(slopes[name])) for name in MATRICES}
        here = Step(step, weights, found.loss, found.solved, lengths)
        yield here
        if here.diverged:
            return
        weights, step = weights.after_step(recipe.rate, found.gradients), step + 1


class WeightsCache:
    def __init__(self, most: int) -> None:
        self.most = most
        self._weights: OrderedDict[tuple[Recipe, int], Weights] = OrderedDict()
        self._lock = Lock()

    def put(self, recipe: Recipe, step: int, weights: Weights) -> None:
        with self._lock:
            self._weights[recipe, step] = weights
            self._weights.move_to_end((recipe, step))
            while len(self._weights) > self.most:
                self._weights.popitem(last=False)

    def has(self, recipe: Recipe, step: int) -> bool:
        with self._lock:
            return (recipe, step) in self._weights

    def nearest(self, recipe: Recipe, step: int) -> tuple[int, Weights] | None:
        with self._lock:
            steps = [kept for of, kept in self._weights if of == recipe and kept <= step]
            if not steps:
                return None
            self._weights.move_to_end((recipe, max(steps)))
            return max(steps), self._weights[recipe, max(steps)]


weights_cache = WeightsCache(KEPT)


def check_steps(steps: int, at: str) -> None:
    if steps > MOST_STEPS:
        raise TooLarge("training_steps", at=at, steps=f"{steps:,}", limit=f"{MOST_STEPS:,}")


def weights_after(
    recipe: Recipe, steps: int, between: Callable[[], None], *, cache: WeightsCache = weights_cache
) -> Weights:
    """Continue from the nearest earlier cached step. Raises InvalidRequest on divergence."""
    first, weights = cache.nearest(recipe, steps) or (
        0, initial_weights(recipe.task, recipe.length, recipe.seed)
    )  # fmt: skip
    if first == steps:
        cache.put(recipe, steps, weights)
        return weights
    for step in descend(recipe, weights, first):
        between()
        if step.step == steps:
            cache.put(recipe, steps, step.weights)
            return step.weights
    values = {"step": step.step, "rate": f"{recipe.rate:g}"}
    raise InvalidRequest("training_diverged", at="model.step", **values)


@dataclass(frozen=True)
class Training:
    """`losses[s]`: loss after s steps."""

    losses: list[float]
    snapshots: list[Step]
    diverged_at: int | None


def train(recipe: Recipe, steps: int, snapshots: int, between: Callable[[Step], None]) -> Training:
    """Keep up to `snapshots` + 1 evenly spaced steps."""
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
