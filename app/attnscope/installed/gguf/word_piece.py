"""WordPiece. Files mark starts of words with ▁, tokenizer.json continuations with ##."""

from __future__ import annotations

from typing import Any

from attnscope.installed.gguf.vocabulary import AT, CONTROL, Vocabulary
from attnscope.weights.formats.gguf_metadata import Metadata

BEGINS, GOES_ON = "▁", "##"
LONGEST_WORD = 100  # characters


def word_piece(metadata: Metadata, vocabulary: Vocabulary) -> dict[str, Any]:
    written = [_written(*one) for one in zip(vocabulary.pieces, vocabulary.types, strict=True)]
    named = Vocabulary(written, vocabulary.types)
    if len(set(written)) != len(written):
        raise metadata.refused(f"{AT}tokens")
    begin = _row(metadata, named, ("cls_token_id", "bos_token_id"), "[CLS]")
    end = _row(metadata, named, ("seperator_token_id", "eos_token_id"), "[SEP]")
    unknown = _row(metadata, named, ("unknown_token_id",), "[UNK]")
    before = begin if metadata.flag(f"{AT}add_bos_token", True) else None
    after = end if metadata.flag(f"{AT}add_eos_token", True) else None
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
    if kind == CONTROL or bracketed:  # older files mark special tokens by brackets only
        return piece
    return piece[len(BEGINS) :] if piece.startswith(BEGINS) else GOES_ON + piece


def _row(metadata: Metadata, vocabulary: Vocabulary, keys: tuple[str, ...], name: str) -> int:
    for key in keys:
        if f"{AT}{key}" in metadata:
            return vocabulary.special(metadata, key)
    if name not in vocabulary.pieces:
        raise metadata.refused(f"{AT}{keys[0]}")
    return vocabulary.pieces.index(name)


def _is_lower(vocabulary: Vocabulary) -> bool:
    return not any(
        piece != piece.lower()
        for piece, kind in zip(vocabulary.pieces, vocabulary.types, strict=True)
        if kind != CONTROL and not piece.startswith("[")
    )
