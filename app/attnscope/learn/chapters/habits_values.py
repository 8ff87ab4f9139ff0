from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from attnscope.analysis.heads import HeadMetrics, head_metrics
from attnscope.analysis.probe import probe_question
from attnscope.installed.model_registry import shipped_model
from attnscope.learn.arithmetic import at_least, at_most
from attnscope.learn.echo import FIRST, TEXT, Echo
from attnscope.learn.exercises import compute_trace
from attnscope.learn.head_ablation import LAYER, most_missed_head, percent, prediction, trace_of
from attnscope.trace.examples import no_upload
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.trace import Trace, answer

LENGTH = 32  # random tokens, repeated once as in the Heads tab
HABIT = 0.5  # least induction of an induction head


@cache
def probed(echo: Echo) -> list[list[HeadMetrics]]:
    """Metrics [layer][head] on repeated random tokens."""
    question = probe_question(trace_of(echo).plan, 0, LENGTH, 2)
    return metrics(answer(make_plan(question, Limits(), no_upload)))


def metrics(trace: Trace) -> list[list[HeadMetrics]]:
    assert trace.plan.words.tokens is not None
    tokens = trace.plan.words.tokens[0]
    return [head_metrics(layer["weights"][0], tokens) for layer in trace.layers]


def induction(echo: Echo, layer: int) -> list[float]:
    return [one["induction"] or 0.0 for one in probed(echo)[layer]]


def levels(echo: Echo) -> Mapping[str, str]:
    question = probe_question(trace_of(echo).plan, 0, LENGTH, 2)
    without = question.model_copy(update={"drop": [list(echo.previous)]})
    left = metrics(answer(make_plan(without, Limits(), no_upload)))[LAYER]
    return {
        "below": at_most(max(induction(echo, 0))), "above": at_least(max(induction(echo, LAYER))),
        "head": str(echo.previous[1]), "left": at_most(max(one["induction"] or 0 for one in left)),
    }  # fmt: skip


def habits_of(echo: Echo) -> list[list[str]]:
    rows = enumerate(induction(echo, LAYER))
    return [[str(head), f"{most:.2f}", percent(prediction(echo, (head,)).p)] for head, most in rows]


def size(echo: Echo) -> Mapping[str, str]:
    return {"pieces": f"{shipped_model(echo.name).config.vocabulary:,}"}


def strongest(echo: Echo) -> Mapping[str, str]:
    """Induction of LAYER on random tokens; `strongest` as measured by training/heads.py."""
    here, most_missed = induction(echo, LAYER), most_missed_head(echo)
    habitual = [one for one in here if one > HABIT]
    return {
        "layer": str(LAYER), "count": str(len(here)), "length": str(LENGTH),
        "habitual": str(len(habitual)), "least": at_least(min(habitual)),
        "weakest": str(here.index(min(here))), "weakest_share": f"{min(here):.2f}",
        "below": at_most(max(induction(echo, 0))),
        "strongest": str(echo.induction[1]), "missed": str(most_missed),
        "chance": percent(prediction(echo).p),
        "missed_chance": percent(prediction(echo, (most_missed,)).p),
    }  # fmt: skip


def steps(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The last step with a copied share under 5 %, and the first with one over 50 %."""
    course = shipped_model(name).figures["course"]
    after = next(step for step in course if step["copied"] > 0.5)
    return [step for step in course if step["copied"] < 0.05][-1], after


def leap(echo: Echo) -> Mapping[str, str]:
    each = zip(("before", "after"), steps(echo.name), strict=True)
    return {
        f"{when}_{name}": f"{step[name]:.2f}" if name != "step" else str(step[name])
        for when, step in each
        for name in ("step", "loss", "previous", "induction")
    }


@cache
def at_first(text: str = TEXT) -> Mapping[str, str]:
    """How far echo's first checkpoint is from uniform weights."""
    trace = compute_trace({"text": text, "model": FIRST})
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


def grown(echo: Echo) -> Mapping[str, str]:
    model = shipped_model("echo")
    first = int(FIRST["revision"].removeprefix("step-"))
    loss = next(step["loss"] for step in model.figures["course"] if step["step"] == first)
    counted = {"loss": loss, "pieces": model.figures["unigram"], "pairs": model.figures["bigram"]}
    losses = {name: f"{number:.2f}" for name, number in counted.items()}
    return {**at_first(echo.text), **losses, **leap(echo), "first": str(first)}
