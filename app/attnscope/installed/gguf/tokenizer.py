"""Tokenizers of GGUF files: byte-level BPE, Unigram, WordPiece. Words of WordPiece begin
with ▁ in files; in tokenizer.json, ## continues them.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
import orjson

from attnscope.errors import BadWeightsFile
from attnscope.installed.gguf.sentence_piece import sentence_piece
from attnscope.installed.gguf.translation import check_is
from attnscope.installed.gguf.vocabulary import (
    AT,
    CONTROL,
    Vocabulary,
    bos_eos_processor,
    read_vocabulary,
)
from attnscope.tokens.splits import SPLITS, Split
from attnscope.weights.formats.gguf_metadata import Metadata

USUAL = {
    "gpt2": "gpt-2", "phi2": "phi-2", "gptneox": "olmo", "falcon": "falcon", "bloom": "bloom",
    "qwen2": "qwen2", "qwen3": "qwen2",
}  # fmt: skip


def byte_level(metadata: Metadata, vocabulary: Vocabulary) -> dict[str, Any]:
    split = _named(metadata)
    prefix = f"{AT}add_space_prefix"
    if metadata.flag(prefix, False):
        raise metadata.refused(prefix)
    return {
        "added_tokens": vocabulary.added(),
        "normalizer": split.normalizer,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": list(split.steps)},
        "post_processor": bos_eos_processor(metadata, vocabulary, split.begin, False),
        "model": {
            "type": "BPE", "ignore_merges": split.whole, "vocab": vocabulary.ids(),
            "merges": metadata.texts(f"{AT}merges"),
        },
    }  # fmt: skip


def _named(metadata: Metadata) -> Split:
    name = metadata.text(f"{AT}pre", "default")
    if name == "default":
        name = USUAL.get(metadata.text("general.architecture"), name)
    if name not in SPLITS:
        known = ", ".join(SPLITS)
        raise BadWeightsFile("gguf_split_of_text", at=metadata.file, name=name[:64], known=known)
    return SPLITS[name]


SPACE = "▁"
SCORES, TABLE = f"{AT}scores", f"{AT}precompiled_charsmap"


def unigram(metadata: Metadata, vocabulary: Vocabulary) -> dict[str, Any]:
    for key in ("add_space_prefix", "remove_extra_whitespaces"):
        check_is(metadata, f"{AT}{key}", True)
    scores = metadata.numbers(SCORES)
    if len(scores) != len(vocabulary.pieces) or not np.isfinite(scores).all():
        raise metadata.refused(SCORES)
    table = None
    if TABLE in metadata:
        signs = metadata.numbers(TABLE)
        if signs.dtype.itemsize != 1:
            raise metadata.refused(TABLE)
        table = {
            "type": "Precompiled",
            "precompiled_charsmap": base64.b64encode(signs.tobytes()).decode(),
        }
    unknown = vocabulary.special(metadata, "unknown_token_id")
    return {
        "added_tokens": vocabulary.added(),
        "normalizer": table,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"},
            {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True},
        ]},
        "post_processor": bos_eos_processor(metadata, vocabulary, False, True),
        "model": {
            "type": "Unigram", "unk_id": unknown,
            "vocab": list(zip(vocabulary.pieces, scores.tolist(), strict=True)),
        },
    }  # fmt: skip


BEGINS, GOES_ON = "▁", "##"
LONGEST_WORD = 100  # characters


def word_piece(metadata: Metadata, vocabulary: Vocabulary) -> dict[str, Any]:
    written = [
        _standard_piece(*one) for one in zip(vocabulary.pieces, vocabulary.types, strict=True)
    ]
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


def _standard_piece(piece: str, kind: int) -> str:
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


MODEL = f"{AT}model"
MODELS: dict[str, Callable[[Metadata, Vocabulary], dict[str, Any]]] = {
    "bert": word_piece, "gpt2": byte_level, "llama": sentence_piece, "t5": unigram
}  # fmt: skip


def definition_of(metadata: Metadata) -> str:
    vocabulary = read_vocabulary(metadata)
    kind = metadata.text(MODEL)
    make = MODELS.get(kind)
    if make is None:
        known = ", ".join(MODELS)
        raise BadWeightsFile("gguf_tokenizer", at=metadata.file, kind=kind[:64], known=known)
    return orjson.dumps(make(metadata, vocabulary)).decode()
