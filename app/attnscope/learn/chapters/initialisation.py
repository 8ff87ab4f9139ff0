from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np

from attnscope.analysis.initialisation import THEORY
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.spectrum_values import fan, fan_rows, relu
from attnscope.learn.chapters.training_values import LENGTH, RECIPE
from attnscope.learn.parts import Exercise, Figure
from attnscope.learn.why import false_statement, true_reason
from attnscope.toy_training.model import initial_weights, run
from attnscope.toy_training.tasks import NO_TARGET
from attnscope.toy_training.training import Step, descend, problems

FACTORS = (0.1, 1.0, 4.0, 16.0)  # applied to the initial W_Q and W_K
STEPS = (20, 40)


def trained(factor: float, *, steps: int = STEPS[-1]) -> list[Step]:
    weights = initial_weights(RECIPE.task, LENGTH, RECIPE.seed)
    layer = weights.layer
    scaled = replace(layer, w_q=factor * layer.w_q, w_k=factor * layer.w_k)
    return list(islice(descend(RECIPE, replace(weights, layer=scaled)), steps + 1))


@cache
def starts() -> list[list[str]]:
    asked = problems(RECIPE, 0)
    rows = []
    for factor in FACTORS:
        steps = trained(factor)
        stages, _ = run(steps[0].weights, asked.ids)
        largest = stages["weights"][:, 0].max(axis=-1)[asked.targets != NO_TARGET]
        found = [steps[at] for at in STEPS]
        rows.append([
            f"{factor:g}", f"{np.mean(largest):.2f}", f"{steps[0].gradients['w_q']:.3f}",
            *(f"{step.loss:.2f} ({100 * step.solved:.0f}\u202f%)" for step in found),
        ])  # fmt: skip
    return rows


SCHEMES = ("xavier_normal", "kaiming_normal")


def drawn_variance(rng: np.random.Generator) -> Exercise:
    columns, rows = (int(2 ** rng.integers(2, 6)) for _ in range(2))
    scheme = str(rng.choice(SCHEMES))
    answer = float(THEORY[scheme].variance(columns, rows))  # type: ignore[index]
    values = {"d_in": columns, "d_out": rows, "scheme": scheme.partition("_")[0].title()}
    counted = f"({columns} + {rows})" if scheme.startswith("xavier") else f"{columns}"
    return Exercise("drawn_variance", answer, values, 4, worked={"line": f"2 / {counted}"})


def variance_of_q(rng: np.random.Generator) -> Exercise:
    """For x of variance 1, q sums d_model products with the variance of w."""
    d_model = int(rng.choice([16, 32, 64, 128]))
    variance = 1 / (int(rng.choice([2, 4, 8, 16])) * 4)
    answer = d_model * variance
    values = {"d_model": d_model, "variance": f"{variance:g}"}
    return Exercise("variance_of_q", answer, values, 2, slips={"one_product": variance,
                    "root": math.sqrt(answer)})  # fmt: skip


CHAPTER = Chapter(
    "initialisation",
    needs=("singular_values",),
    figures=(
        Figure("start", {"model": {"source": "seeded"}}, view="parameters",
               knobs=("model.init",)),
    ),
    values={"fan": fan, "relu": relu},
    tables={"fan": fan_rows, "starts": starts},
    exercises=(
        drawn_variance, variance_of_q, false_statement("initialisation", "no_relu", "conditions"),
        true_reason("initialisation"),
    ),
)  # fmt: skip
