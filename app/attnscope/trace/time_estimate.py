"""Estimate of the time of an answer."""

from __future__ import annotations

from attnscope.trace.plan import Plan

# Each counts as that many numbers of a trace; 20,000 take a millisecond.
LAYER, TEXT, HEAD, MASK, DROP = 10_000, 2_000, 100, 4_000, 600


def work_of(planned: Plan) -> int:
    heads, layers = planned.model.shape.num_heads, planned.model.num_layers
    entries = layers * (LAYER + HEAD * heads + TEXT * planned.batch)
    masks = MASK * heads * len(planned.knockouts)
    return planned.numbers + entries + masks + DROP * len(planned.question.drop)
