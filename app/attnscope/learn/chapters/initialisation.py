from __future__ import annotations

import math

import numpy as np

from attnscope.analysis.initialisation import THEORY
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.initialisation_values import starts
from attnscope.learn.chapters.spectrum_values import fan, fan_rows, relu
from attnscope.learn.parts import Exercise, Figure
from attnscope.learn.why import false_statement, true_reason

SCHEMES = ("xavier_normal", "kaiming_normal")


def drawn_variance(rng: np.random.Generator) -> Exercise:
    columns, rows = (int(2 ** rng.integers(2, 6)) for _ in range(2))
    scheme = str(rng.choice(SCHEMES))
    answer = float(THEORY[scheme].variance(columns, rows))  # type: ignore[index]
    values = {"d_in": columns, "d_out": rows, "scheme": scheme.partition("_")[0].title()}
    counted = f"({columns} + {rows})" if scheme.startswith("xavier") else f"{columns}"
    return Exercise("drawn_variance", answer, values, 4, worked={"line": f"2 / {counted}"})


def variance_of_q(rng: np.random.Generator) -> Exercise:
    """If x has variance 1, each of the d_model products in q has the variance of w."""
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
