from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from attnscope.errors import BadWeightsFile
from attnscope.weights.formats.gguf_metadata import Metadata
from attnscope.weights.formats.limits import Limits

AT = "tokenizer.ggml."
TOKENS, TYPES = f"{AT}tokens", f"{AT}token_type"
NORMAL, CONTROL, USER_DEFINED = 1, 3, 4
LONGEST_PIECE = 1024  # characters
LIMITS = Limits()


@dataclass(frozen=True)
class Vocabulary:
    pieces: list[str]
    types: list[int]

    def ids(self) -> dict[str, int]:
        return {piece: i for i, piece in enumerate(self.pieces)}

    def special(self, metadata: Metadata, key: str) -> int:
        row = metadata.whole(f"{AT}{key}")
        if not 0 <= row < len(self.pieces):
            raise metadata.refused(f"{AT}{key}")
        return row

    def added(self) -> list[dict[str, Any]]:
        wanted = (CONTROL, USER_DEFINED)
        return [
            {
                "id": i, "content": self.pieces[i], "single_word": False, "lstrip": False,
                "rstrip": False, "normalized": False, "special": kind == CONTROL,
            }
            for i, kind in enumerate(self.types) if kind in wanted and self.pieces[i]
        ]  # fmt: skip

    def around(self, before: int | None, after: int | None) -> dict[str, Any] | None:
        if before is None and after is None:
            return None
        names = {row: self.pieces[row] for row in (before, after) if row is not None}

        def special_tokens(row: int | None, sentence: int = 0) -> list[Any]:
            name = None if row is None else names[row]
            return [] if name is None else [{"SpecialToken": {"id": name, "type_id": sentence}}]

        text, second = ({"Sequence": {"id": "AB"[i], "type_id": i}} for i in (0, 1))
        single = [*special_tokens(before), text, *special_tokens(after)]
        return {
            "type": "TemplateProcessing",
            "single": single,
            "pair": [*single, second, *special_tokens(after, 1)],
            "special_tokens": {
                name: {"id": name, "ids": [row], "tokens": [name]} for row, name in names.items()
            },
        }


def read_vocabulary(metadata: Metadata) -> Vocabulary:
    if TOKENS not in metadata:
        raise BadWeightsFile("gguf_no_tokenizer", at=metadata.file)
    pieces = metadata.texts(TOKENS)
    types = metadata.numbers(TYPES).tolist() if TYPES in metadata else [NORMAL] * len(pieces)
    if len(pieces) > LIMITS.max_vocab or max(map(len, pieces), default=0) > LONGEST_PIECE:
        raise metadata.refused(TOKENS)
    if len(types) != len(pieces):
        raise metadata.refused(TYPES)
    if len(set(pieces)) != len(pieces):
        raise metadata.refused(TOKENS)
    return Vocabulary(pieces, types)


def bos_eos_processor(
    metadata: Metadata, vocabulary: Vocabulary, begin: bool, end: bool
) -> dict[str, Any] | None:
    """`begin`, `end`: whether to add BOS, EOS if the file has the id but no flag for adding."""
    rows = [
        vocabulary.special(metadata, f"{key}_token_id")
        if metadata.flag(f"{AT}add_{key}_token", usual and f"{AT}{key}_token_id" in metadata)
        else None
        for key, usual in (("bos", begin), ("eos", end))
    ]
    return vocabulary.around(*rows)
