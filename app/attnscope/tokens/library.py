from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from tokenizers import Tokenizer

from attnscope.tokens.tokenizer_cost import Effort, effort_of
from attnscope.tokens.vocabulary import SPACE, TokenTable

NO_TEXT = -1


class TokenizerFailed(Exception):
    pass


class PieceWithoutRow(Exception):
    def __init__(self, piece: str) -> None:
        super().__init__(piece)
        self.piece = piece


class Encoded(NamedTuple):
    """The first tokens of `total`. `texts`: index of the text in a pair, or NO_TEXT."""

    total: int
    ids: list[int]
    starts: list[int]
    ends: list[int]
    texts: list[int]
    kinds: list[int]


@contextmanager
def _wrap_errors() -> Iterator[None]:
    try:
        yield
    except PieceWithoutRow:
        raise
    except Exception as error:  # the library raises nothing narrower
        raise TokenizerFailed from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise TokenizerFailed from error


class LoadedTokenizer:
    def __init__(self, definition: str) -> None:
        with _wrap_errors():
            self._tokenizer = Tokenizer.from_str(definition)
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
        parts = json.loads(definition)
        self._unknown = self._unknown_of(parts["model"])
        self._byte_level, self._spaces = '"ByteLevel"' in definition, _marks_spaces(parts)
        self.effort: Effort = effort_of(parts)

    def described(self, rows: int = 0) -> TokenTable:
        find, count = self._tokenizer.token_to_id, rows or self._tokenizer.get_vocab_size()
        known = [self._tokenizer.id_to_token(i) for i in range(count)]
        owners = {name: owner for i, name in enumerate(known)
                  if name is not None and (owner := find(name)) not in (i, None)}  # fmt: skip
        added = list(self._tokenizer.get_added_tokens_decoder())
        return TokenTable(known, owners, self._unknown, self._byte_level, self._spaces, added)

    def _unknown_of(self, model: Mapping[str, Any]) -> int | None:
        if model.get("type") == "Unigram":  # states the id, not the token
            row: int | None = model.get("unk_id")
            return row
        return self._tokenizer.token_to_id(model.get("unk_token") or "")

    def encode(self, text: str, pair: str | None, bare: bool, most: int, rows: int) -> Encoded:
        """Return the first `most` tokens. `bare`: without special tokens. Raises PieceWithoutRow
        for ids ≥ `rows`."""
        with _wrap_errors():
            encoded = self._tokenizer.encode(text, pair, add_special_tokens=not bare)
            ids = encoded.ids
            if beyond := next((i for i in ids if i >= rows), 0):
                raise PieceWithoutRow(str(self._tokenizer.id_to_token(beyond)))
            places = encoded.offsets[:most]
            texts = [NO_TEXT if own is None else own for own in encoded.sequence_ids[:most]]
            return Encoded(
                len(ids), ids[:most], [start for start, _ in places], [end for _, end in places],
                texts, encoded.type_ids[:most],
            )  # fmt: skip


def _marks_spaces(parts: Mapping[str, Any]) -> bool:
    before = [parts.get("normalizer"), parts.get("pre_tokenizer")]
    return SPACE in json.dumps(before, ensure_ascii=False)
