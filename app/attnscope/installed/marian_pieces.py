"""Tokenizer of Marian (OPUS-MT): source.spm, target.spm and vocab.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attnscope.errors import BadWeightsFile
from attnscope.installed.spm import LARGEST, MOST_PIECES, read_spm
from attnscope.tokens.sentence_pieces import SentencePieces, Vocabulary
from attnscope.tokens.subword_tokenizer import SubwordTokenizer

SOURCE, TARGET = "source.spm", "target.spm"
VOCABULARY, OPTIONS = "vocab.json", "tokenizer_config.json"
SPECIAL = {"unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>"}
MORE = ("added_tokens_decoder", "additional_special_tokens", "extra_special_tokens")
CHANGING = ("lstrip", "rstrip", "single_word")  # options of an added token
CUTS = ("separate_vocabs", "sp_model_kwargs", "split_special_tokens")
LARGEST_OPTIONS = 1 << 20
MOST_SHOWN = 64  # characters


def marian_files(folder: Path) -> list[Path]:
    paths = [folder / name for name in (SOURCE, TARGET, VOCABULARY, OPTIONS)]
    return [path for path in paths if path.is_file()] if has_models(folder) else []


def has_models(folder: Path) -> bool:
    return (folder / SOURCE).is_file() or (folder / TARGET).is_file()


def marian_pieces(folder: Path, rows: int) -> SubwordTokenizer:
    options = _options(folder)
    ids = _ids(_read(folder, VOCABULARY, LARGEST))
    beyond = next((piece for piece, row in ids.items() if row >= rows), None)
    if beyond is not None:
        piece = beyond[:MOST_SHOWN]
        raise BadWeightsFile("other_vocabulary", at=VOCABULARY, piece=piece, rows=rows)
    unknown, end, padding = (_text(options.get(key, name)) for key, name in SPECIAL.items())
    special = frozenset((unknown, end, padding, *_added(options)))
    if missing := sorted(special - set(ids)):
        raise BadWeightsFile("spm_special", at=VOCABULARY, piece=missing[0][:MOST_SHOWN])
    words = Vocabulary(ids, rows, special, ids[unknown], ids[end], ids[padding])
    target, source = (read_spm(_read(folder, name, LARGEST), name) for name in (TARGET, SOURCE))
    return SentencePieces(target, source, words)


def _read(folder: Path, name: str, limit: int) -> bytes:
    path = folder / name
    if not path.is_file():
        raise BadWeightsFile("spm_missing", at=name)
    if path.stat().st_size > limit:
        raise BadWeightsFile("spm_large", at=name, limit=f"{limit:,}")
    return path.read_bytes()


def _ids(data: bytes) -> dict[str, int]:
    try:
        rows_by_piece = json.loads(data)
        "".join(rows_by_piece).encode()
    except (ValueError, TypeError, RecursionError):
        raise BadWeightsFile("spm_vocabulary", at=VOCABULARY) from None
    rows = rows_by_piece.values() if isinstance(rows_by_piece, dict) else [None]
    if len(rows) > 2 * MOST_PIECES or not all(type(row) is int and row >= 0 for row in rows):
        raise BadWeightsFile("spm_vocabulary", at=VOCABULARY)
    return dict(rows_by_piece)


def _options(folder: Path) -> dict[str, Any]:
    """Raises BadWeightsFile if broken, and for options that change tokenization."""
    if not (folder / OPTIONS).is_file():
        return {}
    try:
        options = json.loads(_read(folder, OPTIONS, LARGEST_OPTIONS))
    except (ValueError, RecursionError):
        options = None
    if not isinstance(options, dict):
        raise BadWeightsFile("spm_options", at=OPTIONS)
    for key in CUTS:
        if options.get(key):
            raise _unknown(key)
    return options


def _added(options: Mapping[str, Any]) -> list[str]:
    found: list[Any] = []
    for key in MORE:
        added_tokens = options.get(key) or []
        if not isinstance(added_tokens, dict | list):
            raise _unknown(key)
        found += added_tokens.values() if isinstance(added_tokens, dict) else added_tokens
    for one in found:
        if isinstance(one, dict) and any(one.get(key) for key in CHANGING):
            raise _unknown(_text(one))
    return [_text(one) for one in found]


def _text(token: Any) -> str:
    text = token.get("content") if isinstance(token, dict) else token
    if not isinstance(text, str) or not text:
        raise _unknown(str(token))
    return text


def _unknown(key: str) -> BadWeightsFile:
    return BadWeightsFile("spm_option", at=OPTIONS, key=key[:MOST_SHOWN])
