"""The pieces of a .gguf file, and what every kind of tokenizer makes of them alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.errors import BadWeightsFile
from app.weights.formats.gguf_metadata import Metadata
from app.weights.formats.limits import Limits

AT = "tokenizer.ggml."
TOKENS, TYPES = f"{AT}tokens", f"{AT}token_type"
NORMAL, CONTROL, USER_DEFINED = 1, 3, 4
LONGEST_PIECE = 1024  # characters
LIMITS = Limits()


@dataclass(frozen=True)
class Vocabulary:
    """A piece and its type for each row of the embedding."""

    pieces: list[str]
    types: list[int]

    def ids(self) -> dict[str, int]:
        return {piece: i for i, piece in enumerate(self.pieces)}

    def special(self, told: Metadata, key: str) -> int:
        """The row that a key names. Raises BadWeightsFile for one that is not there."""
        row = told.whole(f"{AT}{key}")
        if not 0 <= row < len(self.pieces):
            raise told.refused(f"{AT}{key}")
        return row

    def added(self) -> list[dict[str, Any]]:
        """Pieces that are taken out of a text before anything else is done to it."""
        wanted = (CONTROL, USER_DEFINED)
        return [
            {
                "id": i, "content": self.pieces[i], "single_word": False, "lstrip": False,
                "rstrip": False, "normalized": False, "special": kind == CONTROL,
            }
            for i, kind in enumerate(self.types) if kind in wanted and self.pieces[i]
        ]  # fmt: skip

    def around(self, before: int | None, after: int | None) -> dict[str, Any] | None:
        """What sets pieces of the tokenizer around a text."""
        if before is None and after is None:
            return None
        names = {row: self.pieces[row] for row in (before, after) if row is not None}

        def said(row: int | None, sentence: int = 0) -> list[Any]:
            name = None if row is None else names[row]
            return [] if name is None else [{"SpecialToken": {"id": name, "type_id": sentence}}]

        text, second = ({"Sequence": {"id": "AB"[i], "type_id": i}} for i in (0, 1))
        return {
            "type": "TemplateProcessing",
            "single": [*said(before), text, *said(after)],
            "pair": [*said(before), text, *said(after), second, *said(after, 1)],
            "special_tokens": {
                name: {"id": name, "ids": [row], "tokens": [name]} for row, name in names.items()
            },
        }


def read_vocabulary(told: Metadata) -> Vocabulary:
    """Raises BadWeightsFile where pieces and types do not belong together, and for a piece that
    comes twice."""
    if TOKENS not in told:
        raise BadWeightsFile("gguf_no_tokenizer", at=told.file)
    pieces = told.texts(TOKENS)
    types = told.numbers(TYPES).tolist() if TYPES in told else [NORMAL] * len(pieces)
    if len(pieces) > LIMITS.max_vocab or max(map(len, pieces), default=0) > LONGEST_PIECE:
        raise told.refused(TOKENS)
    if len(types) != len(pieces):
        raise told.refused(TYPES)
    if len(set(pieces)) != len(pieces):
        raise told.refused(TOKENS)
    return Vocabulary(pieces, types)


def bounds(told: Metadata, vocabulary: Vocabulary, begin: bool, end: bool) -> dict[str, Any] | None:
    """The pieces at the begin and the end of a text; `begin` and `end` say whether there are some
    where the file names them and says no more."""
    rows = [
        vocabulary.special(told, f"{key}_token_id")
        if told.flag(f"{AT}add_{key}_token", usual and f"{AT}{key}_token_id" in told) else None
        for key, usual in (("bos", begin), ("eos", end))
    ]  # fmt: skip
    return vocabulary.around(*rows)
