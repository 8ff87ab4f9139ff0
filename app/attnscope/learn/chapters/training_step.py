from __future__ import annotations

import numpy as np

from attnscope.learn.arithmetic import bracketed, decimal
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters import training_values as computed
from attnscope.learn.chapters.training_values import HALF_WAY, LENGTH, RECIPE, UNSEEN_STEP, course
from attnscope.learn.exercises import join_texts
from attnscope.learn.parts import Body, Exercise, Figure, Given
from attnscope.learn.why import true_reason
from attnscope.toy_training.model import compute_gradients
from attnscope.toy_training.tasks import example
from attnscope.toy_training.training import problems

REVERSE: Body = {"source": "trained", "task": "reverse", "step": 60}
# Results of one step on ½ a w², from small to large η.
STEPS = tuple(
    f"exercise.overshoot.{step}" for step in ("nearer", "there", "across", "mirrored", "away")
)
AGREE: Body = {"source": "trained", "task": "agree", "step": 150}
AGREE_ZH: Body = {**AGREE, "task": "agree_zh"}


def updated(rng: np.random.Generator) -> Exercise:
    matrix = (rng.integers(-90, 91, (2, 2)) / 100).tolist()
    row, col = (int(at) for at in rng.integers(2, size=2))
    size = int(rng.integers(1, 10))
    slope, rate = size * int(rng.choice([-1, 1])) / 10, float(rng.choice([0.05, 0.1, 0.3, 0.5]))
    numbers = {"row": row, "col": col, "slope": decimal(slope, 1), "rate": f"{rate:g}"}
    answer = float(matrix[row][col] - rate * slope)
    worked = {"w": bracketed(matrix[row][col]).strip("()"), "times": bracketed(slope)}
    given = (Given("w_q", matrix),)
    return Exercise("updated", answer, numbers, decimals=3, given=given, worked=worked)


def mean_loss(rng: np.random.Generator) -> Exercise:
    drawn = problems(RECIPE, UNSEEN_STEP + int(rng.integers(10**6)))
    found = compute_gradients(course()[HALF_WAY].weights, drawn).surprises[0, LENGTH:]
    chances = np.exp(-found).round(2).clip(0.01, 1)
    numbers = {"chances": join_texts(f"{chance:.2f}" for chance in chances)}
    worked = {"logs": " + ".join(f"ln({chance:.2f})" for chance in chances), "rows": LENGTH}
    return Exercise("mean_loss", float(-np.log(chances).mean()), numbers, decimals=2, worked=worked)


def pull(rng: np.random.Generator) -> Exercise:
    """The derivative of the loss by a logit is p − 1 for the target, p for other words."""
    parts = rng.integers(5, 30, 3) / 100
    chances = [*parts, 1 - parts.sum()]
    right, at = int(rng.integers(4)), int(rng.integers(4))
    numbers = {
        "chances": join_texts(f"{chance:.2f}" for chance in chances), "right": right, "at": at,
    }  # fmt: skip
    worked = {"p": f"{chances[at]:.2f}", "target": int(at == right)}
    return Exercise("pull", float(chances[at] - (at == right)), numbers, decimals=2, worked=worked)


def overshoot(rng: np.random.Generator) -> Exercise:
    """On ½ a w² a step multiplies w by 1 − ηa: beyond η = 2/a it diverges."""
    bend, way = int(rng.choice([1, 2, 4, 5, 8, 10])), int(rng.integers(len(STEPS)))
    times = (rng.integers(2, 10), 10, rng.integers(11, 19), 20, rng.integers(22, 40))[way] / 10
    numbers = {"bend": bend, "rate": f"{times / bend:.4g}"}
    worked = {"factor": f"{1 - times:.3g}".replace("-", "−")}
    return Exercise("overshoot", STEPS[way], numbers, choices=STEPS, worked=worked)


CHAPTER = Chapter(
    "training_step",
    needs=("gradients",),
    figures=(
        Figure("reverse", {"text": example("reverse", LENGTH), "model": REVERSE},
               view="training", stages=("weights",)),
        Figure("noun", {"text": example("agree", 3), "model": AGREE}, stages=("weights",),
               zh={"text": example("agree_zh", 3), "model": AGREE_ZH}),
    ),
    values={
        "loss": computed.before, "stepped": computed.stepped, "sizes": computed.sizes,
        "formed": computed.formed, "diverged": computed.diverged, "forced": computed.forced,
    },
    tables={
        "one_step": computed.one_step, "received": computed.received, "forming": computed.forming,
        "rates": computed.rates, "forcing": computed.forcing,
    },
    exercises=(updated, pull, mean_loss, overshoot, true_reason("training_step")),
)  # fmt: skip
