"""Pieces of SentencePiece (Kudo & Richardson 2018) that are merged by their scores, as Llama 1 and
2 have them: of all neighbours, those whose piece has the highest score become it first. Spaces are
written ▁, and what has no piece is told in bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.installed.gguf.translation import check_is
from app.installed.gguf.vocabulary import (
    AT,
    NORMAL,
    TOKENS,
    TYPES,
    USER_DEFINED,
    Vocabulary,
    bounds,
)
from app.weights.formats.gguf_metadata import Metadata

SPACE = "▁"
SCORES = f"{AT}scores"
LONGEST_MERGED = 64  # characters of a piece that is made of others
MOST_WAYS = 8  # to make a piece, on the average; real vocabularies have two


def sentence_piece(told: Metadata, vocabulary: Vocabulary) -> dict[str, Any]:
    """The parts of a tokenizer.json. Raises BadWeightsFile for a text that is changed before it is
    cut in a way that is not known here."""
    squeezed = f"{AT}remove_extra_whitespaces"
    check_is(told, squeezed, told.flag(squeezed, False), False)
    if f"{AT}precompiled_charsmap" in told:
        raise told.refused(f"{AT}precompiled_charsmap")
    unknown = vocabulary.special(told, "unknown_token_id")
    steps: list[dict[str, Any]] = [
        {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
    ]
    if told.flag(f"{AT}add_space_prefix", True):
        steps.insert(0, {"type": "Prepend", "prepend": SPACE})
    return {
        "added_tokens": vocabulary.added(),
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": None,
        "post_processor": bounds(told, vocabulary, True, False),
        "model": {
            "type": "BPE", "dropout": None, "unk_token": vocabulary.pieces[unknown],
            "continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": True,
            "byte_fallback": True, "ignore_merges": False, "vocab": vocabulary.ids(),
            "merges": _merges(told, vocabulary),
        },
    }  # fmt: skip


def _merges(told: Metadata, vocabulary: Vocabulary) -> list[tuple[str, str]]:
    """Every way to make a piece of two others: those of the highest score first."""
    scores = told.numbers(SCORES)
    pieces, types = vocabulary.pieces, vocabulary.types
    if len(scores) != len(pieces) or not np.isfinite(scores).all():
        raise told.refused(SCORES)
    if any(kind == USER_DEFINED and SPACE in piece
           for piece, kind in zip(pieces, types, strict=True)):  # fmt: skip
        raise told.refused(TYPES)  # a text has a space where the piece has its sign
    rows = {piece: i for i, piece in enumerate(pieces) if types[i] == NORMAL}
    if max(map(len, rows), default=0) > LONGEST_MERGED:
        raise told.refused(TOKENS)
    merges: list[tuple[str, str]] = []
    # Among equals the piece that comes first in the vocabulary: the order is the same every time.
    order = np.argsort(-scores.astype(np.float64), kind="stable")
    for row in order.tolist():
        if types[row] != NORMAL:
            continue
        piece = pieces[row]
        halves = ((piece[:at], piece[at:]) for at in range(1, len(piece)))
        known = [pair for pair in halves if pair[0] in rows and pair[1] in rows]
        merges += sorted(known, key=lambda pair: (rows[pair[0]], rows[pair[1]]))
        if len(merges) > MOST_WAYS * len(pieces):
            raise told.refused(TOKENS)
    return merges
