from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from attnscope.analysis.contributions import contributions
from attnscope.analysis.predictions import likeliest, next_or_likeliest
from attnscope.learn.arithmetic import signed, total
from attnscope.learn.chapter import Chapter
from attnscope.learn.chapters.habits import people
from attnscope.learn.chapters.worth_values import head_values, heads_of, pieces_of
from attnscope.learn.echo import ENGLISH, Echo, Head, by_language, echo_of_reader, view_of_head
from attnscope.learn.exercises import compute_trace
from attnscope.learn.head_ablation import LAYER, changes, find_most_missed_head
from attnscope.learn.parts import Body, Exercise, Figure
from attnscope.learn.why import true_reason

WORTH_ZH = Echo("echo-zh", "白云深处有人家，白云")
in_both = partial(by_language, chinese=WORTH_ZH)
SURE = 0.3  # least probability; below this no head matters much
TRIES = 50
# Constants, because computing them would load both models at import. Tests check them.
MISSED: Head = (LAYER, 0)  # result of `find_most_missed_head` for both models
LAST = {"echo": 10, "echo-zh": 9}  # last row of each text


def sure_text(rng: np.random.Generator) -> str:
    """The first text whose next token has probability SURE or more, or the best of TRIES."""
    found: dict[str, float] = {}
    while len(found) < TRIES and max(found.values(), default=0) < SURE:
        text = people(rng)
        trace = compute_trace(echo_of_reader().asked(text))
        found[text] = math.exp(likeliest(trace, 0, trace.plan.n - 1, 1)[0].log_probability)
    return max(found, key=lambda text: found[text])


def change(rng: np.random.Generator) -> Exercise:
    text = sure_text(rng)
    trace = compute_trace(echo_of_reader().asked(text))
    head = find_most_missed_head(trace)
    before = likeliest(trace, 0, trace.plan.n - 1, 1)[0].log_probability
    logs = before, before + changes(trace)[LAYER][head]
    shown = [max(round(math.exp(log), 3), 0.001) for log in logs]
    values = {"before": f"{shown[0]:.3f}", "after": f"{shown[1]:.3f}", "sentence": text,
              "layer": LAYER, "head": head}  # fmt: skip
    answer = math.log(shown[1] / shown[0])
    question = echo_of_reader().asked(text, drop=[[LAYER, head]])
    return Exercise("change", answer, values, decimals=1, question=question)


def missing_part(rng: np.random.Generator) -> Exercise:
    text = sure_text(rng)
    body = echo_of_reader().asked(text)
    trace = compute_trace(body)
    row = trace.plan.n - 1
    found = contributions(trace, 0, row, next_or_likeliest(trace, 0, row))
    numbers = found.logit, found.embedding, sum(found.heads[0]), found.bias
    logit, embedding, first, bias = (round(number, 1) + 0.0 for number in numbers)  # never −0
    values = {
        "logit": signed(logit), "embedding": signed(embedding), "first": signed(first),
        "bias": signed(bias), "sentence": text,
    }  # fmt: skip
    answer = logit - embedding - first - bias
    worked = {"line": total((logit, -embedding, -first, -bias))}
    return Exercise("missing_part", answer, values, decimals=1, question=body, worked=worked)


def whole(echo: Echo) -> Body:
    return {**echo.asked(), "look": view_of_head(MISSED)}


def without(echo: Echo) -> Body:
    """The question without the head MISSED, opened at the prediction after the last token."""
    here = {**view_of_head(MISSED), "after": LAST[echo.name]}
    return {**echo.asked(drop=[list(MISSED)]), "look": here}


def ablation_figure(name: str, make: Callable[[Echo], Body], **fields: Any) -> Figure:
    question = dict(make(ENGLISH))
    return Figure(name, look=question.pop("look"), question=question, zh=make(WORTH_ZH), **fields)


CHAPTER = Chapter(
    "worth",
    needs=("habits",),
    figures=(
        ablation_figure("whole", whole, stages=("weights", "output"), knobs=("layer", "head")),
        ablation_figure("dropped", without, stages=("concat", "output")),
    ),
    values=dict.fromkeys(("chosen", "expected", "both", "norm", "redundant"), in_both(head_values)),
    tables={"pieces": in_both(pieces_of), "heads": in_both(heads_of)},
    exercises=(change, missing_part, true_reason("worth")),
)
