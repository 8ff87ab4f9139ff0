"""Pieces of words, as BERT has them: in the file those that begin a word have ▁ before them, and
those that go on a word nothing, where a tokenizer.json writes ## before the latter."""

from __future__ import annotations

from typing import Any

from app.installed.gguf.vocabulary import AT, CONTROL, Vocabulary
from app.weights.formats.gguf_metadata import Metadata

BEGINS, GOES_ON = "▁", "##"
LONGEST_WORD = 100  # characters; of longer ones nothing is known


def word_piece(told: Metadata, vocabulary: Vocabulary) -> dict[str, Any]:
    """The parts of a tokenizer.json. Raises BadWeightsFile where two pieces become one."""
    written = [_written(*one) for one in zip(vocabulary.pieces, vocabulary.types, strict=True)]
    named = Vocabulary(written, vocabulary.types)
    if len(set(written)) != len(written):
        raise told.refused(f"{AT}tokens")
    begin = _row(told, named, ("cls_token_id", "bos_token_id"), "[CLS]")
    end = _row(told, named, ("seperator_token_id", "eos_token_id"), "[SEP]")
    unknown = _row(told, named, ("unknown_token_id",), "[UNK]")
    before = begin if told.flag(f"{AT}add_bos_token", True) else None
    after = end if told.flag(f"{AT}add_eos_token", True) else None
    return {
        "added_tokens": named.added(),
        "normalizer": {
            "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
            "strip_accents": None, "lowercase": _is_lower(named),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": named.around(before, after),
        "model": {
            "type": "WordPiece", "unk_token": written[unknown], "vocab": named.ids(),
            "continuing_subword_prefix": GOES_ON, "max_input_chars_per_word": LONGEST_WORD,
        },
    }  # fmt: skip


def _written(piece: str, kind: int) -> str:
    bracketed = len(piece) > 2 and piece[0] == "[" and piece[-1] == "]"
    if kind == CONTROL or bracketed:  # older files mark what is special by its brackets alone
        return piece
    return piece[len(BEGINS) :] if piece.startswith(BEGINS) else GOES_ON + piece


def _row(told: Metadata, vocabulary: Vocabulary, keys: tuple[str, ...], name: str) -> int:
    """The row of a piece that one of the keys names; else that of the piece of this name."""
    for key in keys:
        if f"{AT}{key}" in told:
            return vocabulary.special(told, key)
    if name not in vocabulary.pieces:
        raise told.refused(f"{AT}{keys[0]}")
    return vocabulary.pieces.index(name)


def _is_lower(vocabulary: Vocabulary) -> bool:
    """Whether texts are put in small letters: the file does not say it, but a vocabulary that knows
    no capital can mean nothing else."""
    return not any(
        piece != piece.lower()
        for piece, kind in zip(vocabulary.pieces, vocabulary.types, strict=True)
        if kind != CONTROL and not piece.startswith("[")
    )
