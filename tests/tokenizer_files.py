"""Small and odd tokenizer.json files."""

from __future__ import annotations

import json
from typing import Any

VOCABULARY = {"[UNK]": 0, "a": 1, "b": 2, "c": 3, "▁": 4, "[CLS]": 5, "[SEP]": 6, "aa": 7}
BPE: dict[str, Any] = {
    "type": "BPE", "dropout": None, "unk_token": "[UNK]", "continuing_subword_prefix": None,
    "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "vocab": VOCABULARY,
    "merges": [["a", "a"]],
}  # fmt: skip
EMPTY: dict[str, Any] = {
    "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
    "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": BPE,
}  # fmt: skip


def definition(**parts: Any) -> bytes:
    return json.dumps(EMPTY | parts, ensure_ascii=False).encode()


def unigram(longest: int) -> dict[str, Any]:
    """Pieces a, aa, … up to `longest` letters."""
    pieces = [["a" * length, -1.0] for length in range(1, longest + 1)]
    return {"type": "Unigram", "unk_id": 0, "vocab": [["[UNK]", 0.0], *pieces]}


def word_piece(longest: int) -> dict[str, Any]:
    """Single letters; words up to `longest`."""
    return {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": longest,
            "vocab": {"[UNK]": 0, "a": 1, "##a": 2}}  # fmt: skip


def template(ids: list[int], single: list[Any], pair: list[Any] | None = None) -> dict[str, Any]:
    special = {"[CLS]": {"id": "[CLS]", "ids": ids, "tokens": ["[CLS]"] * len(ids)}}
    return {"type": "TemplateProcessing", "single": single, "pair": pair or [],
            "special_tokens": special}  # fmt: skip


def text(name: str) -> dict[str, Any]:
    return {"Sequence": {"id": name, "type_id": 0}}


def special(name: str = "[CLS]") -> dict[str, Any]:
    return {"SpecialToken": {"id": name, "type_id": 0}}
