"""Repeated random tokens, for head metrics (Olsson et al. 2022)."""

from __future__ import annotations

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence

from attnscope.analysis.predictions import ids_of, logits_at
from attnscope.errors import InvalidRequest, TooManyTokens
from attnscope.trace.plan import Plan
from attnscope.trace.question import PATTERN_FIELDS, Question
from attnscope.trace.trace import Trace

PROBE = 0x70726F62
ROUND = 32
MADE_UP = 1024
UNSET = (
    "text", "x", "context", "context_tokens", "context_x", "context_length", "pair",
    "position_ids", "blocked", "knockouts", "mask", "prefix", *PATTERN_FIELDS,
)  # fmt: skip


def round_length(planned: Plan, length: int | None, repeats: int) -> int:
    """Tokens before they repeat. Raises InvalidRequest for a decoder, and TooManyTokens."""
    if planned.model.decoder:
        raise InvalidRequest("probe_of_decoder", at="id")
    room = planned.model.context or ROUND * repeats
    if length is None:
        length = max(1, min(ROUND, room // repeats))
    if planned.model.context and length * repeats > room:
        raise TooManyTokens("probe", at="length", tokens=length * repeats, limit=room)
    return length


def probe_question(planned: Plan, seed: int, length: int, repeats: int) -> Question:
    draw = Generator(PCG64(SeedSequence([seed, PROBE])))
    made_up = tuple(f"t{i}" for i in range(max(MADE_UP, length)))
    vocab = [token for token in planned.model.vocab or made_up if "\0" not in token]
    chosen = draw.choice(len(vocab), size=length, replace=len(vocab) < length)
    tokens = [vocab[i] for i in chosen.tolist()] * repeats
    defaults = {name: Question.model_fields[name].default for name in UNSET}
    return planned.question.model_copy(update={**defaults, "tokens": tokens})


def copying_share(trace: Trace, length: int) -> float | None:
    """Share of repeated tokens that are predicted."""
    if trace.plan.model.unembedding is None or trace.plan.model.masked:
        return None
    ids = ids_of(trace.plan, 0)
    rows = list(range(length, len(ids) - 1))
    logits = logits_at(trace, 0, rows)
    if not rows or not np.isfinite(logits).all():
        return None
    return float((logits.argmax(axis=-1) == ids[length + 1 :]).mean())
