"""Generate text with a KV cache. A new token that changes the rotary frequencies, or lies in the
mask's prefix, recomputes all rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Integer
from numpy.random import PCG64, Generator, SeedSequence

from attnscope import cancellation
from attnscope.analysis.decode import (
    LayerArrays,
    cached_layers,
    context_of_text,
    keep_in,
    keys_of,
    pasts_of,
)
from attnscope.analysis.predictions import check_finite, ids_of, unembedding_of
from attnscope.attention.architecture import Architecture
from attnscope.attention.attend import Past
from attnscope.attention.transformer import forward, layers_between
from attnscope.attention.unembed import log_softmax
from attnscope.errors import InvalidRequest, TooManyTokens
from attnscope.tokens.library import PieceWithoutRow
from attnscope.tokens.process import TokenizationFailed
from attnscope.tokens.subword_tokenizer import without_end
from attnscope.trace.embed import Embedded
from attnscope.trace.inputs import NO_PIECE
from attnscope.trace.plan import Plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace

DRAW = 0x64726177


@dataclass(frozen=True)
class Sampling:
    """Temperature 0 is greedy."""

    temperature: float = 0.0
    seed: int = 0
    top_k: int | None = None


def check_room(planned: Plan, tokens: int) -> None:
    """Raises InvalidRequest if the text cannot continue, TooManyTokens if it gets too long."""
    if planned.model.masked:
        raise InvalidRequest("masked_goes_on", at="id")
    mask, given = planned.options.mask, planned.context_mask.given
    crosses = planned.context is not None and not planned.model.encoder_layers
    if not mask.causal or mask.given is not None or given is not None or crosses:
        raise InvalidRequest("cannot_continue", at="id")
    if planned.question.x is not None or NO_PIECE in ids_of(planned, 0):
        raise InvalidRequest("not_pieces", at="id")
    length = planned.words.lengths[0]
    ends = max(int(_places(planned, length + 1)[-1]), length)
    room = (planned.model.context or planned.n) - ends
    if tokens > room:
        raise TooManyTokens(
            "no_room", at="tokens", asked=tokens, room=max(room, 0), limit=planned.model.context
        )


def _places(planned: Plan, rows: int) -> Integer[np.ndarray, " rows"]:
    length = planned.words.lengths[0]
    own = np.arange(length) if planned.positions is None else planned.positions[0, :length]
    return np.concatenate([own, own[-1] + 1 + np.arange(rows - length)])


def continue_text(trace: Trace, tokens: int, sampling: Sampling) -> tuple[list[int], list[float]]:
    """Ids and ln p of the new tokens. Raises NoPredictions, or InvalidRequest on overflow."""
    planned = trace.plan
    head, grid = unembedding_of(planned), planned.options.grid
    pieces = planned.model.pieces
    assert pieces is not None
    draw = Generator(PCG64(SeedSequence([sampling.seed, DRAW])))
    length = planned.words.lengths[0]
    layers = cached_layers(planned)
    y = trace.layers[-1]["block_output"][:1, length - 1]
    x = trace.layers[layers[0]]["x"][:1, :length]
    architecture = planned.model.for_length(planned.reach)
    keys = {i: keys_of(planned, i, 0, length) for i in layers}
    pasts: list[Past] | None = [
        Past(trace.layers[i]["k"][:1, :, :count], trace.layers[i]["v"][:1, :, :count], length)
        for i, count in keys.items()
    ]
    ids: list[int] = []
    logs: list[float] = []
    for step in range(tokens):
        cancellation.check()
        chances = log_softmax(head.logits(y, grid))[0]
        check_finite(chances)
        chances[pieces.unsaid] = -np.inf
        ids.append(_draw_token(chances, sampling, draw))
        logs.append(float(chances[ids[-1]]))
        rows = length + step + 1
        x = np.concatenate([x, _row(planned, ids[-1], rows).astype(x.dtype)], axis=1)
        before = architecture
        architecture = planned.model.for_length(int(_places(planned, rows).max()) + 1)
        alike = (architecture.rotary, architecture.own) == (before.rotary, before.own)
        alike = alike and rows > planned.options.mask.prefix  # else earlier rows see the new key
        y, pasts = _next_row(trace, x, architecture, pasts if alike else None)
    return ids, logs


def _row(planned: Plan, piece: int, rows: int) -> np.ndarray:
    model, place = planned.model, planned.model.position(int(_places(planned, rows)[-1]) + 1)
    position = None if place is None else place[None, -1:]
    embedding = model.embed(np.array([piece]))[None].astype(np.float64)
    norm, scale = model.embedding_norm, model.embedding_scale
    return Embedded(embedding, position, [1], norm, scale).x(np.float64)


def _next_row(
    trace: Trace, x: np.ndarray, architecture: Architecture, pasts: list[Past] | None
) -> tuple[np.ndarray, list[Past]]:
    rows, layers = x.shape[1], cached_layers(trace.plan)
    stages: LayerArrays = {i: {} for i in layers}
    setting = context_of_text(trace, 0)
    asked = setting.asked
    if asked is not None:
        asked = replace(asked, lengths=[(rows, asked.lengths[0][1])])
    setting = replace(
        setting, architecture=architecture, lengths=[(rows, rows)], asked=asked,
        positions=_places(trace.plan, rows)[None],
    )  # fmt: skip
    new = x if pasts is None else x[:, -1:]
    y = forward(
        new, layers_between(trace.parameters, layers[0]), setting, keep_in(stages), pasts, layers[0]
    )
    return y[:, -1], pasts_of(stages, rows)


def _draw_token(logs: np.ndarray, sampling: Sampling, draw: Generator) -> int:
    if sampling.temperature == 0:
        return int(np.argmax(logs))
    order = np.argsort(-logs, kind="stable")[: sampling.top_k]
    behind = logs[order] - logs[order[0]]
    with np.errstate(over="ignore"):
        chances = np.exp(behind / sampling.temperature)
    return int(order[draw.choice(len(order), p=chances / chances.sum())])


def _split(planned: Plan, text: str) -> list[int | None]:
    pieces, start = planned.model.pieces, planned.model.start
    assert pieces is not None
    whole = pieces.tokenize(text, bare=planned.question.special_tokens == "none")
    if start is None:
        return [token.id for token in whole]
    return [start, *(token.id for token in without_end(whole))]


def _first_context(planned: Plan) -> dict[str, Any]:
    question = planned.question
    context, tokens, x = question.context, question.context_tokens, question.context_x
    if isinstance(context, list):
        context = context[0]
    if tokens and isinstance(tokens[0], list):
        tokens = tokens[0]
    if x is not None and x.ndim == 3:
        x = x[:1]
    return {"context": context, "context_tokens": tokens, "context_x": x}


def continued(planned: Plan, ids: list[int]) -> Question:
    """The question with the longer text, or with tokens if no text splits into them."""
    pieces, words = planned.model.pieces, planned.words
    assert pieces is not None
    assert words.tokens is not None
    tokens = [one for one in words.tokens[0] if one is not None] + [pieces.names[i] for i in ids]
    changes = {"text": None, "tokens": tokens, "context_length": None, **_first_context(planned)}
    if planned.positions is not None:
        changes["position_ids"] = _places(planned, len(tokens)).tolist()
    question = planned.question.model_copy(update=changes)
    before = planned.question.text
    if isinstance(before, list):
        before = before[0]
    if before is None:
        return question
    text = before + pieces.text(ids)
    try:
        alike = _split(planned, text) == [*ids_of(planned, 0), *ids]
    except (PieceWithoutRow, TokenizationFailed):
        alike = False
    if not alike:
        return question
    return question.model_copy(update={"text": text, "tokens": None})
