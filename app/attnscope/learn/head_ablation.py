"""Ablation of echo's heads on the course's sentence: predictions, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from attnscope.analysis.ablations import dropped, log_probability
from attnscope.analysis.contributions import Contributions, contributions
from attnscope.analysis.predictions import likeliest, logits_at, next_or_likeliest
from attnscope.attention.architecture import EPSILON
from attnscope.learn.echo import INDUCTION, TEXT, asked
from attnscope.learn.exercises import traced
from attnscope.trace.trace import Trace

LAYER = INDUCTION[0]  # layer of the heads that are dropped
Heads = tuple[int, ...]


@dataclass(frozen=True)
class Prediction:
    """The logit of the most probable token, with some heads of LAYER dropped."""

    sigma: float  # divisor of the final norm
    logit: float
    others: float  # ln Σ e^logit of all other tokens

    @property
    def lead(self) -> float:
        return self.logit - self.others

    @property
    def p(self) -> float:
        """The softmax, which depends only on the logit's lead."""
        return 1 / (1 + math.exp(-self.lead))


@cache
def trace_of(heads: Heads = ()) -> Trace:
    """The sentence with some heads of LAYER dropped."""
    return traced(asked(TEXT, drop=[[LAYER, head] for head in heads]))


@cache
def place() -> tuple[int, int]:
    """The last row, and the most probable token after it with all heads."""
    trace = trace_of()
    row = trace.plan.n - 1
    return row, next_or_likeliest(trace, 0, row)


def changes(trace: Trace) -> list[list[float]]:
    """[layer][head]: change of ln p of the token after the last row without that head."""
    row = trace.plan.n - 1
    piece = next_or_likeliest(trace, 0, row)
    before = log_probability(trace, 0, row, piece)
    return [[after - before for after in layer] for layer in dropped(trace, 0, row, piece)]


@cache
def losses() -> list[float]:
    """The changes of the heads of LAYER."""
    return changes(trace_of())[LAYER]


def missed_most(trace: Trace) -> int:
    """The head of LAYER whose ablation lowers ln p most."""
    return int(np.argmin(changes(trace)[LAYER]))


@cache
def directly() -> Contributions:
    """Direct contributions to the logit of the most probable token, with all heads."""
    row, piece = place()
    return contributions(trace_of(), 0, row, piece)


@cache
def prediction(heads: Heads = ()) -> Prediction:
    """With some heads dropped."""
    row, piece = place()
    logits = logits_at(trace_of(heads), 0, [row])[0].astype(np.float64)
    y = trace_of(heads).layers[-1]["block_output"][0, row].astype(np.float64)
    others = np.delete(logits, piece)
    return Prediction(
        math.sqrt(y.var() + EPSILON), float(logits[piece]), float(np.log(np.exp(others).sum()))
    )


@cache
def expected(heads: Heads = ()) -> dict[str, float]:
    """Each token and its probability after the sentence, in descending order."""
    trace = trace_of(heads)
    found: dict[str, float] = {}
    for one in likeliest(trace, 0, place()[0], len(trace.plan.model.vocab or ())):
        found.setdefault(one.piece, math.exp(one.log_probability))
    return found


def missed_least() -> int:
    """The head of LAYER whose ablation lowers ln p least, or raises it most."""
    return int(np.argmax(losses()))


def between() -> tuple[int, int]:
    """The two heads of LAYER that are missed neither most nor least, in their order."""
    low, high = sorted(int(head) for head in np.argsort(losses())[1:-1])
    return low, high


def percent(share: float) -> str:
    """Format a probability: one decimal if it is small."""
    return f"{100 * share:.{0 if share >= 0.1 else 1}f}\u202f%"


def change(number: float) -> str:
    """Format a change with its sign."""
    return f"{number:+.2f}".replace("-", "−")
