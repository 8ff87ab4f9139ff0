from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Bool, Integer

from attnscope.attention.masks import KnockedOutCells, Mask
from attnscope.errors import InvalidRequest, ShapeMismatch
from attnscope.installed.model_registry import ModelRegistry
from attnscope.trace.inputs import (
    MOST_PADDED,
    Words,
    make_pair_splitter,
    make_splitter,
    read_context,
    read_words,
    with_start_token,
)
from attnscope.trace.open_model import FindUpload, OpenModel, open_model
from attnscope.trace.question import (
    MAX_BLOCKED,
    PATTERN_FIELDS,
    USUAL_SCALE,
    Installed,
    Knockout,
    Question,
    Trained,
    Uploaded,
)
from attnscope.trace.token_limits import Split, TokenLimits


def knocked_out(
    asked: Sequence[Knockout], model: OpenModel, sizes: Callable[[int], tuple[int, int]]
) -> dict[int, KnockedOutCells]:
    cells = sum(len(one.rows) * len(one.cols) for one in asked)
    if cells > MAX_BLOCKED:
        raise InvalidRequest("knockouts_too_many", at="knockouts", cells=cells, limit=MAX_BLOCKED)
    found: dict[int, set[tuple[int | None, int, int]]] = {}
    layers, heads = model.num_layers, model.shape.num_heads
    for i, one in enumerate(asked):
        at = f"knockouts[{i}]"
        if one.layer >= layers or (one.head or 0) >= heads:
            there = {"num_layers": layers, "num_heads": heads}
            reason = "no_such_layer" if one.head is None else "no_such_head"
            dropped = [one.layer, one.head]
            raise InvalidRequest(reason, at=at, layer=one.layer, dropped=dropped, **there)
        n, m = sizes(one.layer)
        row, col = max(one.rows), max(one.cols)
        if row >= n or col >= m:
            raise InvalidRequest("blocked_out_of_range", at=at, cell=[row, col], n=n, m=m)
        found.setdefault(one.layer, set()).update(one.cells)
    return {layer: frozenset(cells) for layer, cells in found.items()}


AXES = ("batch", "head", "query", "key")
FOUR_AXES = {2: (None, None), 3: (slice(None), None), 4: ()}
SHARED = {2: ("batch", "head"), 3: ("head", "query"), 4: ("head",)}  # axes that may have size 1


def read_question(
    question: Question,
    find: FindUpload,
    registry: ModelRegistry,
    max_tokens: int,
    max_characters: int,
) -> tuple[Words, Words | None, OpenModel]:
    """Return tokens, context and model. Models that tokenize or limit texts open first."""
    own = isinstance(question.model, Installed | Trained | Uploaded)
    first = question.splitting == "model" or own
    model = open_model(question, find, registry) if first else None
    pieces = None if model is None else model.pieces
    limits = TokenLimits(max_tokens, None if model is None else model.context)
    split: Split = make_splitter(question, pieces, limits.most)
    takes = model is not None and model.pairs
    split_pair = make_pair_splitter(question, pieces, limits.most, takes=takes)
    begun = split if model is None else with_start_token(question, split, pieces, model.start)
    words = read_words(question, limits, max_characters, begun, split_pair, pieces)
    model = model or open_model(question, find, registry)
    source = None if pieces is None else pieces.source
    heard = make_splitter(question, source)
    return words, read_context(question, limits, max_characters, heard, source), model


def check_context(
    question: Question, words: Words, context: Words | None, model: OpenModel
) -> None:
    """Refuse a missing or unequal context, and masks that do not apply."""
    decoder = model.decoder
    if question.context_mask is not None and not decoder:
        raise InvalidRequest("context_mask_without_decoder", at="context_mask")
    if context is None:
        if model.encoder_layers:
            raise InvalidRequest("no_source_text", at="context")
        if decoder:
            raise InvalidRequest("decoder_without_context", at="model.block")
        return
    texts, contexts = len(words.lengths), len(context.lengths)
    if texts != contexts:
        raise ShapeMismatch("batch_sizes", at=context.at, texts=texts, contexts=contexts)
    for name in ("causal", *PATTERN_FIELDS, "prefix"):
        if getattr(question, name) and not decoder:
            raise InvalidRequest("mask_with_context", at=name)


def scale_of(question: Question, model: OpenModel) -> float:
    if question.scaling == USUAL_SCALE:
        return model.effective_scale
    return 1.0 if question.scaling == "none" else float(question.scaling)


def mask_of(question: Question, model: OpenModel, given: np.ndarray | None) -> Mask:
    by_model = model.causal and (model.decoder or not question.has_context)
    causal = by_model if question.causal is None else question.causal
    blocked, asked = frozenset((i, j) for i, j in question.blocked), question.global_tokens
    count, places = (asked, []) if isinstance(asked, int) else (0, asked)
    values = {name: getattr(question, name) for name in PATTERN_FIELDS}
    values |= {"global_tokens": count, "global_places": frozenset(places)}
    return Mask(causal, question.prefix, blocked, given, question.padding, **values)


def given_mask(
    mask: Bool[np.ndarray, "*axes"] | None, at: str, sizes: tuple[int, int, int, int]
) -> Bool[np.ndarray, "batch head query key"] | None:
    """Add axes of size 1 to a mask. Raises ShapeMismatch if it does not fit."""
    if mask is None:
        return None
    every = mask[FOUR_AXES[mask.ndim]]
    for axis, size, wanted in zip(AXES, every.shape, sizes, strict=True):
        if size != wanted and not (size == 1 and axis in SHARED[mask.ndim]):
            raise ShapeMismatch("mask_axis", at=at, name=at, axis=axis, size=size, wanted=wanted)
    return every


def context_mask_of(question: Question, sizes: tuple[int, int, int, int]) -> Mask:
    given = given_mask(question.context_mask, "context_mask", sizes)
    return Mask(given=given, pads=question.padding)


def positions_of(
    question: Question, words: Words, model: OpenModel
) -> Integer[np.ndarray, "batch query"] | None:
    asked = question.position_ids
    if asked is None:
        if model.padding is not None and any(model.padding in ids for ids in words.ids or ()):
            raise InvalidRequest("padding_in_text", at=words.at)
        return None
    at, batch, n = "position_ids", len(words.lengths), words.n
    added = question.x is None and model.position(1) is not None
    if not added and model.positions != "rotary":
        raise InvalidRequest("no_positions", at=at)
    each = [row for row in asked if isinstance(row, list)]
    rows = each or batch * [[place for place in asked if isinstance(place, int)]]
    if len(rows) != batch or any(len(row) != n for row in rows):
        raise ShapeMismatch("position_ids", at=at, batch=batch, n=n)
    ids, end = np.array(rows), model.context or max(n, MOST_PADDED)
    if ids.max() >= end:
        raise InvalidRequest("position_beyond", at=at, position=int(ids.max()), last=end - 1)
    return ids
