from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from itertools import islice

import numpy as np

from attnscope.learn.arithmetic import decimal
from attnscope.toy_training.model import (
    MATRICES,
    LossAndGradients,
    compute_gradients,
    initial_weights,
    run,
)
from attnscope.toy_training.tasks import NO_TARGET, Problems, example, task_tokenizer
from attnscope.toy_training.training import (
    BATCH_SIZE,
    Recipe,
    Step,
    descend,
    problems,
    uniform_loss,
)

LENGTH = 4
RECIPE = Recipe("reverse", LENGTH, 0, 0.3)
SHOWN_STEPS = (0, 10, 20, 30, 40, 60)
COMPARED = (0, 20, 40, 60)
HALF_WAY = 30  # a step at which some answers are right
TRIED = (0.1, 0.3, 1.0, 3.0, 10.0)  # rates for a single step
RATES = (0.1, 0.3, 1.0, 2.0)
SHORT = 30  # steps with each rate
UNSEEN_STEP = 10**6  # a step number beyond training, whose problems are unseen


@cache
def course() -> Mapping[int, Step]:
    steps = islice(descend(RECIPE, initial_weights("reverse", LENGTH, 0)), SHOWN_STEPS[-1] + 1)
    return {step.step: step for step in steps if step.step in SHOWN_STEPS}


@cache
def first() -> LossAndGradients:
    return compute_gradients(course()[0].weights, problems(RECIPE, 0))


def slope() -> float:
    """‖g‖² over all arrays: the decrease of the loss per unit of η."""
    return float(sum(np.square(g).sum() for g in first().gradients.arrays().values()))


def before() -> Mapping[str, str]:
    return {
        "words": str(round(math.exp(uniform_loss(RECIPE)))),
        "guessing": f"{uniform_loss(RECIPE):.2f}",
        "loss": f"{first().loss:.2f}", "solved": f"{100 * first().solved:.0f}",
        "problems": str(BATCH_SIZE), "asked": str(BATCH_SIZE * LENGTH),
    }  # fmt: skip


@cache
def one_step() -> list[list[str]]:
    start, gradients = course()[0].weights, first().gradients
    rows = []
    for rate in TRIED:
        after = compute_gradients(start.after_step(rate, gradients), problems(RECIPE, 0)).loss
        promised = first().loss - rate * slope()
        rows.append([f"{rate:g}", f"{first().loss:.4f}", decimal(promised, 4), f"{after:.4f}"])
    return rows


def stepped() -> Mapping[str, str]:
    return {
        "slope": f"{slope():.3f}", "loss": one_step()[0][1], "small": one_step()[0][0],
        "promised": one_step()[0][2], "after": one_step()[0][3],
        "large": one_step()[-1][0], "above": one_step()[-1][3],
    }  # fmt: skip


def received() -> list[list[str]]:
    return [
        [f"W_{name[-1].upper()}", *(f"{course()[step].gradients[name]:.4f}" for step in COMPARED)]
        for name in MATRICES
    ]


def sizes() -> Mapping[str, str]:
    ratios = [course()[step].gradients for step in COMPARED]
    return {
        "first": f"{ratios[0]['w_v'] / ratios[0]['w_q']:.0f}",
        "forming": f"{ratios[1]['w_v'] / ratios[1]['w_q']:.1f}",
        "last": f"{ratios[-1]['w_q']:.4f}",
    }


def forming() -> list[list[str]]:
    return [
        [str(at), f"{step.loss:.3f}", f"{100 * step.solved:.0f} %", f"{answer_weight(step):.2f}"]
        for at, step in course().items()
    ]


def answer_weight(step: Step) -> float:
    """Mean weight of the answer's key in unseen problems."""
    stages, _ = run(step.weights, problems(RECIPE, UNSEEN_STEP).ids)
    rows = np.arange(LENGTH, 2 * LENGTH)
    return float(stages["weights"][:, 0, rows, 2 * LENGTH - 1 - rows].mean())


def formed() -> Mapping[str, str]:
    rows = np.arange(LENGTH, 2 * LENGTH)
    return {
        "first": f"{answer_weight(course()[0]):.2f}",
        "last": f"{answer_weight(course()[SHOWN_STEPS[-1]]):.2f}",
        "even": f"{(1 / (rows + 1)).mean():.2f}", "steps": str(SHOWN_STEPS[-1]),
    }  # fmt: skip


@cache
def rates() -> list[list[str]]:
    rows = []
    for rate in RATES:
        last = course()[SHORT] if rate == RECIPE.rate else _last_at(rate)
        cells = ["–", str(last.step)] if last.diverged else [f"{last.loss:.3f}", "–"]
        rows.append([f"{rate:g}", *cells])
    return rows


def _last_at(rate: float) -> Step:
    steps = descend(Recipe("reverse", LENGTH, 0, rate), initial_weights("reverse", LENGTH, 0))
    return [*islice(steps, SHORT + 1)][-1]


def diverged() -> Mapping[str, str]:
    return {"rate": rates()[-1][0], "step": rates()[-1][2], "steps": str(SHORT)}


def shown() -> Problems:
    text = example("reverse", LENGTH)
    ids = [task_tokenizer("reverse").ids[token] for token in text.split()]
    targets = [NO_TARGET] * LENGTH + ids[:LENGTH][::-1]
    return Problems(np.array([ids]), np.array([targets]))


def forcing() -> list[list[str]]:
    weights, asked = course()[HALF_WAY].weights, shown()
    at_once = compute_gradients(weights, asked).surprises[0]
    words = task_tokenizer("reverse").names
    rows = []
    for row in range(LENGTH, 2 * LENGTH):
        part = Problems(asked.ids[:, : row + 1], asked.targets[:, : row + 1])
        alone = compute_gradients(weights, part).surprises[0, row]
        read = " ".join(words[i] for i in asked.ids[0, : row + 1])
        rows.append([read, words[asked.targets[0, row]], f"{at_once[row]:.6f}", f"{alone:.6f}"])
    return rows


def forced() -> Mapping[str, str]:
    loss = compute_gradients(course()[HALF_WAY].weights, shown()).loss
    return {"step": str(HALF_WAY), "rows": str(LENGTH), "loss": f"{loss:.4f}"}
