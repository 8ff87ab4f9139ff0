"""How long an answer takes: its numbers, and what takes time however few numbers it has."""

from __future__ import annotations

from attnscope.trace.plan import Plan

# In numbers that take as long: a millisecond is about 20,000 of them.
LAYER, TEXT, HEAD, MASK, DROP = 10_000, 2_000, 100, 4_000, 600


def work_of(planned: Plan) -> int:
    """What answering takes, in numbers: those of all stages, and what each layer takes, each of its
    texts and heads, and each dropped head. In a layer with cells knocked out, every head has a mask
    of its own."""
    heads, layers = planned.model.shape.num_heads, planned.model.num_layers
    entries = layers * (LAYER + HEAD * heads + TEXT * planned.batch)
    masks = MASK * heads * len(planned.knockouts)
    return planned.numbers + entries + masks + DROP * len(planned.question.drop)
