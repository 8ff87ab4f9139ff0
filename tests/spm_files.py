"""Small .spm files, and Marian folders with them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from struct import pack
from typing import Any

from tests.families.made import checkpoint
from tests.families.seq2seq_made import MARIAN, bart_tensors

Fields = Sequence[tuple[int, int | float | bytes]]
# Text, score, type.
CONTROLS = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
SOURCE = [("▁", -3.0, 1), ("▁the", -2.0, 1), ("▁cat", -3.5, 1), ("s", -4.0, 1), ("t", -4.5, 1),
          ("▁s", -4.25, 1), ("a", -4.125, 1), ("at", -4.0, 1), ("c", -5.0, 1)]  # fmt: skip
TARGET = [("▁", -3.0, 1), ("▁die", -2.0, 1), ("▁Katze", -3.5, 1), ("s", -2.5, 1), ("a", -3.25, 1),
          ("ß", -4.0, 1), ("▁the", -9.0, 1), ("t", -4.5, 1), ("h", -5.0, 1)]  # fmt: skip


def varint(number: int) -> bytes:
    out = b""
    while number > 0x7F:
        out, number = out + bytes([number & 0x7F | 0x80]), number >> 7
    return out + bytes([number])


def message(fields: Fields) -> bytes:
    """Protobuf: integers as varints, floats in four bytes, bytes with length."""
    out = b""
    for number, value in fields:
        if isinstance(value, bytes):
            out += varint(number << 3 | 2) + varint(len(value)) + value
        elif isinstance(value, float):
            out += varint(number << 3 | 5) + pack("<f", value)
        else:
            out += varint(number << 3) + varint(value)
    return out


def piece(text: str, score: float, kind: int) -> bytes:
    return message([(1, text.encode()), (2, score), (3, kind)])


def spm(
    pieces: Sequence[tuple[str, float, int]], trainer: Fields = ((3, 1),), normalizer: Fields = ()
) -> bytes:
    """`pieces` follow the control pieces."""
    parts = [(1, piece(*one)) for one in (*CONTROLS, *pieces)]
    return message([*parts, (2, message(trainer)), (3, message(normalizer))])


def ids_of(*models: Sequence[tuple[str, float, int]], more: Sequence[str] = ()) -> dict[str, int]:
    """As in OPUS-MT: </s>, <unk>, pieces, <pad>."""
    names = ["</s>", "<unk>", *more, *(one[0] for model in models for one in model), "<pad>"]
    return {name: row for row, name in enumerate(dict.fromkeys(names))}


def marian_config(ids: Mapping[str, int], **keys: Any) -> dict[str, Any]:
    rows = max(ids.values()) + 1
    return {**MARIAN, "vocab_size": rows, "pad_token_id": ids["<pad>"], "eos_token_id": 0,
            "decoder_start_token_id": ids["<pad>"], "forced_eos_token_id": 0,
            "share_encoder_decoder_embeddings": True, **keys}  # fmt: skip


def marian(
    folder: Path, source: bytes | None = None, target: bytes | None = None,
    ids: Mapping[str, int] | None = None, **options: Any,
) -> Path:  # fmt: skip
    """As in OPUS-MT: without tokenizer.json."""
    ids = ids_of(SOURCE, TARGET, more=[">>fra<<"]) if ids is None else ids
    config = marian_config(ids)
    checkpoint(folder, config, bart_tensors(config))
    (folder / "tokenizer.json").unlink()
    return with_pieces(folder, source or spm(SOURCE), target or spm(TARGET), ids, **options)


def with_pieces(
    folder: Path, source: bytes, target: bytes, ids: Mapping[str, int], **options: Any
) -> Path:
    (folder / "source.spm").write_bytes(source)
    (folder / "target.spm").write_bytes(target)
    (folder / "vocab.json").write_text(json.dumps(ids))
    config = {"source_lang": "en", "target_lang": "de", **options}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder
