"""What a projection does to space: directions, stretches, rank."""

from __future__ import annotations

import numpy as np

from app.analysis.spectrum import Factored, spectrum
from app.learn.exercises import traced
from app.learn.parts import Chapter, Exercise, Figure, Formula, Given, Prose


def determinant(rng: np.random.Generator) -> Exercise:
    """The determinant of a two by two matrix of small whole numbers."""
    w = rng.integers(-3, 4, (2, 2)).astype(float)
    answer = spectrum(Factored(w)).determinant
    assert answer is not None  # it is square
    return Exercise("determinant", answer, given=(Given("w_q", w.tolist()),))


def rank(rng: np.random.Generator) -> Exercise:
    """How many directions survive, where one row may be a multiple of another."""
    w = rng.integers(1, 4, (3, 3)).astype(float)
    for row in range(1, int(rng.integers(1, 4))):
        w[row] = w[0] * int(rng.integers(2, 4))
    return Exercise("rank", float(spectrum(Factored(w)).rank), given=(Given("w_q", w.tolist()),))


def largest_stretch(rng: np.random.Generator) -> Exercise:
    """The singular values of a diagonal matrix are its numbers without their signs."""
    numbers = rng.choice(np.arange(1, 10), 3, replace=False) * rng.choice([-1, 1], 3)
    w = np.diag(numbers.astype(float))
    answer = float(spectrum(Factored(w)).singular_values[0])
    return Exercise("largest_stretch", answer, given=(Given("w_q", w.tolist()),))


def rank_of_scores(rng: np.random.Generator) -> Exercise:
    """The scores of many tokens have no more directions than d_k."""
    d_k, n = int(rng.integers(1, 4)), int(rng.integers(6, 10))
    words = [f"w{at}" for at in range(n)]
    body = {
        "tokens": words, "causal": False,
        "model": {"source": "seeded", "d_model": 16, "num_heads": 1, "d_k": d_k},
    }  # fmt: skip
    answer = spectrum(Factored(traced(body).layers[0]["scores"][0, 0])).rank
    return Exercise("rank_of_scores", float(answer), {"n": n, "d_k": d_k}, question=body)


CHAPTER = Chapter(
    "singular_values",
    (
        Prose("opening"),
        Formula(r"W = U \Sigma V^\top, \qquad x W = (x U) \, \Sigma \, V^\top"),
        Prose("order"),
        Figure("spectrum", {"model": {"source": "seeded"}}, view="parameters",
               knobs=("model.init",)),
        Prose("rank"),
        Prose("determinant"),
        Formula(r"S = \frac{1}{\sqrt{d_k}} X M X^\top, \qquad M = W_Q W_K^\top"),
        Prose("bilinear"),
        Figure("low_rank", {"causal": False, "model": {"source": "seeded", "d_k": 1}},
               stages=("scores",), knobs=("model.d_k", "head")),
        Prose("schemes"),
    ),
    (determinant, rank, largest_stretch, rank_of_scores),
)  # fmt: skip
