"""Pieces of SentencePiece (Kudo & Richardson 2018) that are merged by their scores, as Llama 1 and
2 have them: of all neighbours, those whose piece has the highest score become it first. Spaces are
written ▁, and what has no piece is told in bytes."""

from __future__ import annotations

from collections.abc import Mapping
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
    vocabulary = _with_runs(told, vocabulary)
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


def _with_runs(told: Metadata, vocabulary: Vocabulary) -> Vocabulary:
    """Runs of spaces, which files write as they are in a text, in the sign for spaces. Raises
    BadWeightsFile for a piece that comes twice, and for one taken out of a text as it is that has
    the sign where the text has a space."""
    pieces = [
        SPACE * len(piece) if kind == USER_DEFINED and piece and not piece.strip(" ") else piece
        for piece, kind in zip(vocabulary.pieces, vocabulary.types, strict=True)
    ]
    if len(set(pieces)) != len(pieces):
        raise told.refused(TOKENS)
    for piece, kind in zip(pieces, vocabulary.types, strict=True):
        if kind == USER_DEFINED and SPACE in piece and not _is_run(piece, kind):
            raise told.refused(TYPES)
    return Vocabulary(pieces, vocabulary.types)


def _is_run(piece: str, kind: int) -> bool:
    """Whether it is some spaces that belong together whatever comes after them, as Gemma has."""
    return kind == USER_DEFINED and piece != "" and not piece.strip(SPACE)


def _merges(told: Metadata, vocabulary: Vocabulary) -> list[tuple[str, str]]:
    """Every way to make a piece of two others: runs of spaces first, the longest before others,
    then pieces of the highest score."""
    scores = told.numbers(SCORES)
    pieces, types = vocabulary.pieces, vocabulary.types
    if len(scores) != len(pieces) or not np.isfinite(scores).all():
        raise told.refused(SCORES)
    whole = [piece for piece, kind in zip(pieces, types, strict=True) if _is_run(piece, kind)]
    rows = {piece: i for i, piece in enumerate(pieces) if types[i] == NORMAL}
    both = rows | dict.fromkeys(whole, 0)
    if max(map(len, both), default=0) > LONGEST_MERGED:
        raise told.refused(TOKENS)
    merges = [pair for piece in whole for pair in _halves(piece, both)]
    merges.sort(key=lambda pair: (-len(pair[0]), -len(pair[1])))
    # Among equals the piece that comes first in the vocabulary: the order is the same every time.
    order = np.argsort(-scores.astype(np.float64), kind="stable")
    for row in order.tolist():
        if types[row] != NORMAL:
            continue
        known = _halves(pieces[row], rows)
        if len(known) > 1:
            known.sort(key=lambda pair: (rows[pair[0]], rows[pair[1]]))
        merges += known
        if len(merges) > MOST_WAYS * len(pieces):
            raise told.refused(TOKENS)
    return merges


def _halves(piece: str, rows: Mapping[str, int]) -> list[tuple[str, str]]:
    """Both parts of a piece, wherever both are pieces."""
    return [
        (piece[:at], piece[at:])
        for at in range(1, len(piece))
        if piece[:at] in rows and piece[at:] in rows
    ]
