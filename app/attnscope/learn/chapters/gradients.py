from __future__ import annotations

import numpy as np

from attnscope.analysis.gradients import Sum, gradients
from attnscope.attention.derivatives import softmax_jacobian
from attnscope.attention.ops import softmax
from attnscope.learn.arithmetic import symbol
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.asking import sentence
from attnscope.learn.chapters.scores import first_row, given_scores
from attnscope.learn.exercises import compute_trace, stage
from attnscope.learn.parts import Exercise, Figure, Given
from attnscope.learn.why import true_reason

DERIVED = ("x", "w_q", "q", "scores")
SLOPES = tuple(
    f"exercise.saturated.{way}" for way in ("both_grow", "sharper", "flatter", "both_fall")
)


def _row(rng: np.random.Generator) -> np.ndarray:
    """Three weights with two decimals that sum to 1."""
    first, second = (rng.integers(10, 45, 2)) / 100
    return np.array([first, second, 1 - first - second]).round(2)


def own_slope(rng: np.random.Generator) -> Exercise:
    weights = _row(rng)
    at = int(rng.integers(3))
    answer = float(softmax_jacobian(weights)[at, at])
    given = (Given("weights", [weights.tolist()]),)
    worked = {"a": f"{weights[at]:g}"}
    return Exercise("own_slope", answer, {"at": at}, decimals=4, given=given, worked=worked)


def other_slope(rng: np.random.Generator) -> Exercise:
    weights = _row(rng)
    i, j = (int(at) for at in rng.permutation(3)[:2])
    answer = float(softmax_jacobian(weights)[i, j])
    given = (Given("weights", [weights.tolist()]),)
    worked = {"a": f"{weights[i]:g}", "b": f"{weights[j]:g}"}
    return Exercise("other_slope", answer, {"i": i, "j": j}, decimals=4, given=given, worked=worked)


def saturated(rng: np.random.Generator) -> Exercise:
    wanted, found = int(rng.integers(4)), -1
    # Sharper rows raise a weight above one half, flatter ones lower it.
    factor = float(rng.choice(((0.25, 0.5, 2, 3), (2, 3), (0.25, 0.5), (0.25, 0.5, 2, 3))[wanted]))
    while found != wanted:
        row, at = rng.integers(-4, 5, 5) / 2, int(rng.integers(5))
        if wanted in (1, 2):
            row[at] += 3
        a, b = (float(softmax(row * times)[at]) for times in (1, factor))
        weight, slope = b - a, b * (1 - b) - a * (1 - a)
        clear = min(abs(weight), abs(slope)) >= 0.01
        found = 2 * (weight < 0) + (slope < 0) if clear else -1
    bodies = [given_scores(first_row(list(row * times))) for times in (1, factor)]
    before, after = (stage(body, "weights")[0, 0] for body in bodies)
    slopes = [softmax_jacobian(weights)[at, at] for weights in (before, after)]
    numbers = (before[at], after[at], *slopes)
    worked = {name: f"{each:.4f}" for name, each in zip("abcd", numbers, strict=True)}
    return Exercise(
        "saturated", SLOPES[found], {"factor": f"{factor:g}", "at": at}, choices=SLOPES,
        given=(Given("weights", [before.round(4).tolist()]),), question=bodies[1],
        worked=worked,
    )  # fmt: skip


def gradient_shape(rng: np.random.Generator) -> Exercise:
    n, d_model, d_k = (int(size) for size in rng.permutation(np.arange(2, 9))[:3])
    model = {"source": "seeded", "num_heads": 1, "d_model": d_model, "d_k": d_k}
    body = {"tokens": sentence(rng, n, n), "model": model}
    found = gradients(compute_trace(body), Sum(kind="sum")).trace
    arrays = {**found.layers[0], **found.parameters[0].arrays()}
    shapes = {name: " × ".join(map(str, arrays[name].shape[-2:])) for name in DERIVED}
    name = str(rng.choice(DERIVED))
    choices = tuple(sorted(set(shapes.values())))
    values = {"n": n, "d_model": d_model, "d_k": d_k, "name": symbol(name)}
    return Exercise("gradient_shape", shapes[name], values, 0, choices, (), body)


CHAPTER = Chapter(
    "gradients",
    needs=("softmax", "heads",),
    figures=(
        Figure(
            "gradients", view="gradients",
            look={"objective": {"at": "output", "row": 7, "col": 0}},
        ),
        Figure("saturation", {"scale": "none", "model": {"source": "seeded", "d_k": 64}},
               stages=("weights",), knobs=("scale", "model.d_k")),
    ),
    exercises=(gradient_shape, own_slope, other_slope, saturated, true_reason("gradients")),
)  # fmt: skip
