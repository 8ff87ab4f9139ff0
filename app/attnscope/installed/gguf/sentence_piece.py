"""SentencePiece BPE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnscope.installed.gguf.translation import check_is
from attnscope.installed.gguf.vocabulary import (
    AT,
    NORMAL,
    TOKENS,
    TYPES,
    USER_DEFINED,
    Vocabulary,
    bos_eos_processor,
)
from attnscope.weights.formats.gguf_metadata import Metadata

SPACE = "▁"
SCORES = f"{AT}scores"
LONGEST_MERGED = 64  # characters
MOST_WAYS = 8  # average number of merges per token


def sentence_piece(metadata: Metadata, vocabulary: Vocabulary) -> dict[str, Any]:
    check_is(metadata, f"{AT}remove_extra_whitespaces", False)
    if f"{AT}precompiled_charsmap" in metadata:
        raise metadata.refused(f"{AT}precompiled_charsmap")
    vocabulary = _with_runs(metadata, vocabulary)
    unknown = vocabulary.special(metadata, "unknown_token_id")
    steps: list[dict[str, Any]] = [
        {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
    ]
    if metadata.flag(f"{AT}add_space_prefix", True):
        steps.insert(0, {"type": "Prepend", "prepend": SPACE})
    return {
        "added_tokens": vocabulary.added(),
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "post_processor": bos_eos_processor(metadata, vocabulary, True, False),
        "model": {
            "type": "BPE", "unk_token": vocabulary.pieces[unknown], "fuse_unk": True,
            "byte_fallback": True, "vocab": vocabulary.ids(),
            "merges": _merges(metadata, vocabulary),
        },
    }  # fmt: skip


def _with_runs(metadata: Metadata, vocabulary: Vocabulary) -> Vocabulary:
    """Replace spaces by ▁ in pieces of spaces alone."""
    pieces = [
        SPACE * len(piece) if kind == USER_DEFINED and piece and not piece.strip(" ") else piece
        for piece, kind in zip(vocabulary.pieces, vocabulary.types, strict=True)
    ]
    if len(set(pieces)) != len(pieces):
        raise metadata.refused(TOKENS)
    for piece, kind in zip(pieces, vocabulary.types, strict=True):
        if kind == USER_DEFINED and SPACE in piece and not _is_run(piece, kind):
            raise metadata.refused(TYPES)
    return Vocabulary(pieces, vocabulary.types)


def _is_run(piece: str, kind: int) -> bool:
    """Whether the piece is a run of spaces, never split, as in Gemma."""
    return kind == USER_DEFINED and piece != "" and not piece.strip(SPACE)


def _merges(metadata: Metadata, vocabulary: Vocabulary) -> list[tuple[str, str]]:
    """Merges of spaces, longest first, then other merges by score."""
    scores = metadata.numbers(SCORES)
    pieces, types = vocabulary.pieces, vocabulary.types
    if len(scores) != len(pieces) or not np.isfinite(scores).all():
        raise metadata.refused(SCORES)
    whole = [piece for piece, kind in zip(pieces, types, strict=True) if _is_run(piece, kind)]
    rows = {piece: i for i, piece in enumerate(pieces) if types[i] == NORMAL}
    both = rows | dict.fromkeys(whole, 0)
    if max(map(len, both), default=0) > LONGEST_MERGED:
        raise metadata.refused(TOKENS)
    merges = [pair for piece in whole for pair in _halves(piece, both)]
    merges.sort(key=lambda pair: (-len(pair[0]), -len(pair[1])))
    # equal scores in vocabulary order
    order = np.argsort(-scores.astype(np.float64), kind="stable")
    for row in order.tolist():
        if types[row] != NORMAL:
            continue
        known = _halves(pieces[row], rows)
        if len(known) > 1:
            known.sort(key=lambda pair: (rows[pair[0]], rows[pair[1]]))
        merges += known
        if len(merges) > MOST_WAYS * len(pieces):
            raise metadata.refused(TOKENS)
    return merges


def _halves(piece: str, rows: Mapping[str, int]) -> list[tuple[str, str]]:
    return [
        (piece[:at], piece[at:])
        for at in range(1, len(piece))
        if piece[:at] in rows and piece[at:] in rows
    ]
