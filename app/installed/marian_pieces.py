"""The tokenizers of a Marian folder as OPUS-MT has them: source.spm cuts the text that is read,
target.spm the one that is written, vocab.json has a row for every piece of both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.errors import BadWeightsFile
from app.installed.spm import LARGEST, MOST_PIECES, read_spm
from app.tokens.pieces import Pieces
from app.tokens.sentence_pieces import SentencePieces, Vocabulary

SOURCE, TARGET, VOCABULARY, OPTIONS = (
    "source.spm", "target.spm", "vocab.json", "tokenizer_config.json",
)  # fmt: skip
SPECIAL = {"unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>"}
MORE = ("added_tokens_decoder", "additional_special_tokens", "extra_special_tokens")
CHANGING = ("lstrip", "rstrip", "single_word")  # of an added piece
CUTS = ("separate_vocabs", "sp_model_kwargs", "split_special_tokens")
LARGEST_OPTIONS = 1 << 20
MOST_TOLD = 64  # characters


def marian_files(folder: Path) -> list[Path]:
    """Those of them that are there; none where neither of the models is."""
    paths = [folder / name for name in (SOURCE, TARGET, VOCABULARY, OPTIONS)]
    return [path for path in paths if path.is_file()] if has_models(folder) else []


def has_models(folder: Path) -> bool:
    return (folder / SOURCE).is_file() or (folder / TARGET).is_file()


def marian_pieces(folder: Path, rows: int) -> Pieces:
    """Raises BadWeightsFile for a file that is not there, cannot be read, or says what is not known
    here."""
    options = _options(folder)
    ids = _ids(_read(folder, VOCABULARY, LARGEST))
    beyond = next((piece for piece, row in ids.items() if row >= rows), None)
    if beyond is not None:
        piece = beyond[:MOST_TOLD]
        raise BadWeightsFile("other_vocabulary", at=VOCABULARY, piece=piece, rows=rows)
    unknown, end, padding = (_text(options.get(key, name)) for key, name in SPECIAL.items())
    special = frozenset((unknown, end, padding, *_added(options)))
    if missing := sorted(special - set(ids)):
        raise BadWeightsFile("spm_special", at=VOCABULARY, piece=missing[0][:MOST_TOLD])
    words = Vocabulary(ids, rows, special, ids[unknown], ids[end], ids[padding])
    target, source = (
        read_spm(_read(folder, name, LARGEST), name) for name in (TARGET, SOURCE)
    )  # fmt: skip
    return SentencePieces(target, source, words)


def _read(folder: Path, name: str, limit: int) -> bytes:
    path = folder / name
    if not path.is_file():
        raise BadWeightsFile("spm_missing", at=name)
    if path.stat().st_size > limit:
        raise BadWeightsFile("spm_large", at=name, limit=f"{limit:,}")
    return path.read_bytes()


def _ids(data: bytes) -> dict[str, int]:
    """Piece → row."""
    try:
        told = json.loads(data)
        "".join(told).encode()
    except (ValueError, TypeError, RecursionError):
        raise BadWeightsFile("spm_vocabulary", at=VOCABULARY) from None
    rows = told.values() if isinstance(told, dict) else [None]
    if len(rows) > 2 * MOST_PIECES or not all(type(row) is int and row >= 0 for row in rows):
        raise BadWeightsFile("spm_vocabulary", at=VOCABULARY)
    return dict(told)


def _options(folder: Path) -> dict[str, Any]:
    """What tokenizer_config.json says. Raises BadWeightsFile for what would cut otherwise."""
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
    """Further pieces that are taken out of a text."""
    found: list[Any] = []
    for key in MORE:
        told = options.get(key) or []
        if not isinstance(told, dict | list):
            raise _unknown(key)
        found += told.values() if isinstance(told, dict) else told
    for one in found:
        if isinstance(one, dict) and any(one.get(key) for key in CHANGING):
            raise _unknown(_text(one))
    return [_text(one) for one in found]


def _text(told: Any) -> str:
    """A piece, as a text or as an object that has it as `content`."""
    text = told.get("content") if isinstance(told, dict) else told
    if not isinstance(text, str) or not text:
        raise _unknown(str(told))
    return text


def _unknown(key: str) -> BadWeightsFile:
    return BadWeightsFile("spm_option", at=OPTIONS, key=key[:MOST_TOLD])
