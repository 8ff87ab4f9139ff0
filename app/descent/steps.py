"""Plain gradient descent, w ← w − η ∂L/∂w, on new problems at every step.

The problems of step s are drawn from Generator(PCG64(SeedSequence([seed, PROBLEMS, s]))): they
depend on the seed and the step alone, so training can go on from the weights of any step, and the
loss of a step is on problems that its weights have not seen. Robbins & Monro 1951, "A stochastic
approximation method".
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

from app.descent.model import MATRICES, Weights, differentiated, drawn
from app.descent.tasks import Problems, Task, draw
from app.errors import InvalidRequest, TooLarge

PROBLEMS = 0x70726F62  # keeps the streams of problems apart
AT_ONCE = 16  # problems of a step
USUAL_RATE, USUAL_STEPS = 0.3, 200
MOST_STEPS = 1000  # one or two seconds
HOPELESS = 1e3  # a loss so far above that of guessing, ln of the vocabulary, never comes back
KEPT = 256  # steps whose weights are in memory: 50 KB each


@dataclass(frozen=True)
class Recipe:
    """What names a training: whoever has it has every bit of it, on one machine."""

    task: Task
    length: int
    seed: int
    rate: float


@dataclass(frozen=True)
class Step:
    """The weights after so many steps, and how they do on the problems of the step that follows.
    `gradients` are Euclidean lengths, by matrix."""

    step: int
    weights: Weights
    loss: float
    solved: float
    gradients: dict[str, float]

    @property
    def diverged(self) -> bool:
        """Whether this has gone where no step leads back from."""
        finite = all(map(math.isfinite, self.gradients.values()))
        return not (finite and self.loss <= HOPELESS)


def problems(recipe: Recipe, step: int) -> Problems:
    """Of one step."""
    rng = Generator(PCG64(SeedSequence([recipe.seed, PROBLEMS, step])))
    return draw(recipe.task, recipe.length, AT_ONCE, rng)


def descend(recipe: Recipe, weights: Weights, first: int = 0) -> Iterator[Step]:
    """Step after step from the weights of one; the step that diverged is the last."""
    step = first
    while True:
        found = differentiated(weights, problems(recipe, step))
        slopes = found.gradients.arrays()
        with np.errstate(over="ignore"):
            lengths = {name: float(np.linalg.norm(slopes[name])) for name in MATRICES}
        here = Step(step, weights, found.loss, found.solved, lengths)
        yield here
        if here.diverged:
            return
        weights, step = weights.stepped(recipe.rate, found.gradients), step + 1


class Memory:
    """The weights of some steps, those asked for last; what was forgotten is trained again."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: OrderedDict[tuple[Recipe, int], Weights] = OrderedDict()
        self._lock = Lock()

    def put(self, recipe: Recipe, step: int, weights: Weights) -> None:
        with self._lock:
            self._kept[recipe, step] = weights
            self._kept.move_to_end((recipe, step))
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)

    def has(self, recipe: Recipe, step: int) -> bool:
        with self._lock:
            return (recipe, step) in self._kept

    def nearest(self, recipe: Recipe, step: int) -> tuple[int, Weights] | None:
        """The last step up to this one whose weights are here."""
        with self._lock:
            steps = [kept for of, kept in self._kept if of == recipe and kept <= step]
            if not steps:
                return None
            self._kept.move_to_end((recipe, max(steps)))
            return max(steps), self._kept[recipe, max(steps)]


memory = Memory(KEPT)


def check_steps(steps: int, at: str) -> None:
    """Raises TooLarge."""
    if steps > MOST_STEPS:
        raise TooLarge("training_steps", at=at, steps=f"{steps:,}", limit=f"{MOST_STEPS:,}")


def weights_after(recipe: Recipe, steps: int, between: Callable[[], None]) -> Weights:
    """The weights after so many steps, from memory or trained again from the nearest that is there;
    between() is called before each step. Raises InvalidRequest where training diverged before."""
    first, weights = memory.nearest(recipe, steps) or (
        0, drawn(recipe.task, recipe.length, recipe.seed)
    )  # fmt: skip
    if first == steps:
        memory.put(recipe, steps, weights)
        return weights
    for step in descend(recipe, weights, first):
        between()
        if step.step == steps:
            memory.put(recipe, steps, step.weights)
            return step.weights
    told = {"step": step.step, "rate": f"{recipe.rate:g}"}
    raise InvalidRequest("training_diverged", at="model.step", **told)
