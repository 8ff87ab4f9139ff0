"""Ablation of echo's heads on a chapter's text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from attnscope.analysis.ablations import ablate_heads, log_probability
from attnscope.analysis.contributions import Contributions, contributions
from attnscope.analysis.predictions import likeliest, logits_at, next_or_likeliest
from attnscope.attention.architecture import EPSILON
from attnscope.learn.echo import INDUCTION, Echo
from attnscope.learn.exercises import compute_trace
from attnscope.trace.trace import Trace

LAYER = INDUCTION[0]  # the layer whose heads are dropped, in both models
Heads = tuple[int, ...]


@dataclass(frozen=True)
class Prediction:
    """The token of `place`, if some heads of LAYER are dropped."""

    sigma: float  # divisor of the final norm
    logit: float
    others: float  # ln Σ e^logit of all other tokens

    @property
    def lead(self) -> float:
        return self.logit - self.others

    @property
    def p(self) -> float:
        return 1 / (1 + math.exp(-self.lead))


@cache
def trace_of(echo: Echo, heads: Heads = ()) -> Trace:
    """Trace of the text without `heads` of LAYER."""
    return compute_trace(echo.asked(drop=[[LAYER, head] for head in heads]))


@cache
def place(echo: Echo) -> tuple[int, int]:
    """The last row, and the id of the most probable next token with all heads."""
    trace = trace_of(echo)
    row = trace.plan.n - 1
    return row, next_or_likeliest(trace, 0, row)


def changes(trace: Trace) -> list[list[float]]:
    """[layer][head]: change of ln p of the likeliest next token without that head."""
    row = trace.plan.n - 1
    piece = next_or_likeliest(trace, 0, row)
    before = log_probability(trace, 0, row, piece)
    return [[after - before for after in layer] for layer in ablate_heads(trace, 0, row, piece)]


@cache
def losses(echo: Echo) -> list[float]:
    return changes(trace_of(echo))[LAYER]


def find_most_missed_head(trace: Trace) -> int:
    """The head of LAYER whose ablation lowers ln p most."""
    return int(np.argmin(changes(trace)[LAYER]))


@cache
def direct_contributions(echo: Echo) -> Contributions:
    row, piece = place(echo)
    return contributions(trace_of(echo), 0, row, piece)


@cache
def prediction(echo: Echo, heads: Heads = ()) -> Prediction:
    row, piece = place(echo)
    trace = trace_of(echo, heads)
    logits = logits_at(trace, 0, [row])[0].astype(np.float64)
    y = trace.layers[-1]["block_output"][0, row].astype(np.float64)
    others = np.delete(logits, piece)
    return Prediction(
        math.sqrt(y.var() + EPSILON), float(logits[piece]), float(np.log(np.exp(others).sum()))
    )


@cache
def token_probabilities(echo: Echo, heads: Heads = ()) -> dict[str, float]:
    """Probability of each next token, in descending order."""
    trace = trace_of(echo, heads)
    found: dict[str, float] = {}
    for one in likeliest(trace, 0, place(echo)[0], len(trace.plan.model.vocab or ())):
        found.setdefault(one.piece, math.exp(one.log_probability))
    return found


def most_missed_head(echo: Echo) -> int:
    return int(np.argmin(losses(echo)))


def least_missed_head(echo: Echo) -> int:
    return int(np.argmax(losses(echo)))


def percent(share: float) -> str:
    """One decimal below 10 %."""
    return f"{100 * share:.{0 if share >= 0.1 else 1}f}\u202f%"


def format_change(number: float) -> str:
    return f"{number:+.2f}".replace("-", "−")
