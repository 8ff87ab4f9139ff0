"""Exercises about reasons, for any chapter."""

from __future__ import annotations

import numpy as np

from attnscope.learn.chapter_text import chapter_text
from attnscope.learn.exercises import compute_trace, stage
from attnscope.learn.parts import Exercise, Given, Make

SUMMARY = 3  # lines of a chapter's summary
ARROW = " → "  # between the stages of an order
CHOICES = 4


def true_reason(chapter: str) -> Make:
    """Exercise with one true reason among misconceptions, which have replies."""

    def make(rng: np.random.Generator) -> Exercise:
        reasons = chapter_text(chapter).reasons
        name = str(rng.choice(list(reasons)))
        task, true = f"exercise.reason.{chapter}.{name}", reasons[name]
        choices = tuple(f"{task}.{place}" for place in rng.permutation(CHOICES))
        replies = {f"{task}.{at}": f"{task}.reply.{at}" for at in range(CHOICES) if at != true}
        return Exercise(
            "true_reason", f"{task}.{true}", choices=choices, task=task, replies=replies
        )

    make.__name__ = "true_reason"
    return make


def false_statement(chapter: str, *errata: str) -> Make:
    """Exercise with one claim of `errata` among the lines of the summary, which are true."""

    def make(rng: np.random.Generator) -> Exercise:
        false = f"errata.{rng.choice(errata)}.printed"
        true = [f"course.short.{chapter}.{line}" for line in range(SUMMARY)]
        choices = tuple(str(each) for each in rng.permutation([false, *true]))
        return Exercise("false_statement", false, choices=choices)

    make.__name__ = "false_statement"
    return make


def order_of_stages(rng: np.random.Generator) -> Exercise:
    body = {"tokens": ["a", "b"], "model": {"source": "seeded", "num_heads": 2}}
    every = [name for name in compute_trace(body).layers[0] if name not in ("k", "v")]
    kept = [every[at] for at in sorted(rng.permutation(len(every))[:4])]
    orders = [ARROW.join(kept)]
    while len(orders) < CHOICES:
        order = ARROW.join(str(name) for name in rng.permutation(kept))
        if order not in orders:
            orders.append(order)
    choices = tuple(str(each) for each in rng.permutation(orders))
    return Exercise("order_of_stages", orders[0], choices=choices, question=body)


def wrong_row(rng: np.random.Generator) -> Exercise:
    """The row of a causal map that no softmax under the mask can give."""
    scores = (rng.integers(-8, 9, (5, 5)) / 4).astype(float)
    one = np.eye(5).tolist()
    model = {"source": "explicit", "w_q": scores.tolist(), "w_k": one, "w_v": one}
    body = {"x": one, "scale": "none", "causal": True, "model": model}
    weights = stage(body, "weights")[0].round(2)
    weights[:, 0] += 1 - weights.sum(axis=1)  # rounded rows add up to 1
    row, kind = int(rng.integers(4)), str(rng.choice(["ahead", "sum"]))
    if kind == "ahead":
        weights[row, int(weights[row].argmax())] -= 0.2
        weights[row, 4] = 0.2
    else:
        weights[row, row] += 0.2
    given = (Given("weights", (weights.round(2) + 0.0).tolist()),)
    worked = {"sum": f"{weights[row].sum():.2f}", "last": f"{weights[row, 4]:.2f}"}
    rows = tuple(str(at) for at in range(5))
    return Exercise("wrong_row", str(row), choices=rows, given=given, worked=worked)


def own_words(chapter: str, seed: int) -> Exercise:
    """A question to answer in a sentence, with a model answer."""
    names = chapter_text(chapter).own_words
    task = f"exercise.own.{chapter}.{names[seed % len(names)]}"
    return Exercise("own_words", f"{task}.model", task=task, open=True, name="own_words")
