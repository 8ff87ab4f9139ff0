"""Computed values of the chapter on heads' behaviour, from echo."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from attnscope.analysis.heads import HeadMetrics, head_metrics
from attnscope.analysis.probe import probe_question
from attnscope.installed.model_registry import shipped_model
from attnscope.learn.echo import FIRST, INDUCTION, TEXT
from attnscope.learn.exercises import traced
from attnscope.learn.head_ablation import LAYER, missed_most, percent, prediction, trace_of
from attnscope.trace.examples import no_upload
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.trace import Trace, answer

LENGTH = 32  # random tokens of a round, in two rounds, as in the Heads tab


@cache
def probed() -> list[list[HeadMetrics]]:
    """[layer][head] metrics of echo on repeated random tokens."""
    question = probe_question(trace_of().plan, 0, LENGTH, 2)
    return metrics(answer(make_plan(question, Limits(), no_upload)))


def metrics(trace: Trace) -> list[list[HeadMetrics]]:
    """[layer][head] metrics of a trace's only text."""
    assert trace.plan.words.tokens is not None
    tokens = trace.plan.words.tokens[0]
    return [head_metrics(layer["weights"][0], tokens) for layer in trace.layers]


def induction(layer: int) -> list[float]:
    """Induction of each head of a layer, on random tokens."""
    return [one["induction"] or 0.0 for one in probed()[layer]]


def habits_of() -> list[list[str]]:
    """Each head of LAYER: induction on random tokens, and the loss on the sentence without it."""
    rows = enumerate(induction(LAYER))
    return [[str(head), f"{most:.2f}", percent(prediction((head,)).p)] for head, most in rows]


def size() -> Mapping[str, str]:
    """The number of echo's tokens."""
    return {"pieces": f"{shipped_model('echo').config.vocabulary:,}"}


def strongest() -> Mapping[str, str]:
    """The induction heads, the strongest of them in training's measure of sixteen texts, and the
    one whose ablation costs most."""
    here = induction(LAYER)
    return {
        "layer": str(LAYER), "count": str(len(here)), "length": str(LENGTH),
        "least": f"{min(here):.2f}", "below": f"{max(induction(0)):.2f}",
        "strongest": str(INDUCTION[1]), "missed": str(missed_most(trace_of())),
        "chance": percent(prediction().p),
        "missed_chance": percent(prediction((missed_most(trace_of()),)).p),
    }  # fmt: skip


def steps() -> tuple[dict[str, Any], dict[str, Any]]:
    """Measurements before the model began to copy, and at the next step."""
    course = shipped_model("echo").figures["course"]
    leap = next(i for i, step in enumerate(course) if step["copied"] > 0.5)
    return course[leap - 1], course[leap]


def leap() -> Mapping[str, str]:
    """Head metrics and loss before and after the transition."""
    each = zip(("before", "after"), steps(), strict=True)
    return {
        f"{when}_{name}": f"{step[name]:.2f}" if name != "step" else str(step[name])
        for when, step in each
        for name in ("step", "loss", "previous", "induction")
    }


@cache
def at_first() -> Mapping[str, str]:
    """The first checkpoint on the sentence: how far its heads are from uniform."""
    trace = traced({"text": TEXT, "model": FIRST})
    every = [one for layer in metrics(trace) for one in layer]
    assert trace.plan.words.tokens is not None
    tokens = trace.plan.words.tokens[0]
    next_one = tokens.index(tokens[-1]) + 1
    last_rows = [layer["weights"][0, :, -1] for layer in trace.layers]
    entropies = [one["entropy"] or 0.0 for one in every]
    even = sum(math.log(row + 1) for row in range(trace.plan.n)) / trace.plan.n
    numbers = {
        "previous": max(one["previous"] or 0 for one in every),
        "own": max(one["own"] or 0 for one in every),
        "follower": max(float(row[:, next_one].max()) for row in last_rows),
        "least": min(entropies), "most": max(entropies), "even": even,
    }  # fmt: skip
    return {name: f"{number:.2f}" for name, number in numbers.items()}


def grown() -> Mapping[str, str]:
    """The first checkpoint's measurements, and the later transition."""
    model = shipped_model("echo")
    first = int(FIRST["revision"].removeprefix("step-"))
    loss = next(step["loss"] for step in model.figures["course"] if step["step"] == first)
    counted = {"loss": loss, "pieces": model.figures["unigram"], "pairs": model.figures["bigram"]}
    losses = {name: f"{number:.2f}" for name, number in counted.items()}
    return {**at_first(), **losses, **leap(), "first": str(first)}
