"""Tokenizer from tokenizer.json. Slow work and untrusted tokenizers run in processes.

Without byte tokens, one token stands for unknown text. It is never predicted. Unknown text is
refused if that token was not trained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from attnscope.errors import EmptyText, InvalidRequest
from attnscope.tokens.library import (
    NO_TEXT,
    Effort,
    Encoded,
    LoadedTokenizer,
    PieceWithoutRow,
    TokenizerFailed,
)
from attnscope.tokens.process import TokenizationFailed
from attnscope.tokens.processes import Definition, shared
from attnscope.tokens.read_text import too_costly
from attnscope.tokens.split import ALL, Token, Tokenization, check_text
from attnscope.tokens.vocabulary import TokenTable, Vocabulary

MOST_SHOWN = 80  # characters
QUICK = 0.0025  # CPU seconds; longer work runs in a process
LONG = 0.25  # CPU seconds; beyond, only the start is tokenized
EACH = 4  # assumed characters per token
ROW_BYTES = 400  # bytes of a token's names


@dataclass(frozen=True)
class _Opened:
    definition: Definition
    effort: Effort
    here: LoadedTokenizer | None = None
    took: int = 0
    held: int = 0

    def encode(self, text: str, pair: str | None, bare: bool, most: int, rows: int) -> Encoded:
        seconds = self.effort.seconds(len(text) + len(pair or ""))
        if self.here is not None and seconds <= QUICK:
            return self.here.encode(text, pair, bare, most, rows)
        given = text, pair, bare, most, rows
        total, *parts = shared().ask(self.definition, "encode", *given, seconds=seconds)
        return Encoded(total, *parts)


class SubwordTokenizer:
    """`takes_unknown` allows unknown text. Embedding `rows` without a token are named by number;
    tokens without a row are refused."""

    def __init__(self, definition: str, rows: int = 0, *, takes_unknown: bool = True) -> None:
        here = LoadedTokenizer(definition)
        self._opened = _Opened(Definition(definition.encode()), here.effort, here)
        self._name(here.described(rows), takes_unknown)

    @classmethod
    def open_in_process(cls, definition: bytes, rows: int, *, strange: bool) -> SubwordTokenizer:
        """Open in a process only.

        Raises UnsafeDefinition, TokenizerFailed, TokenizationFailed, NeedsThread.
        """
        asked = Definition(definition, strange)
        answer, took, held = shared().described(asked, rows)
        *described, effort = answer
        pieces = cls.__new__(cls)
        pieces._opened = _Opened(asked, Effort(*effort), None, took, held)
        pieces._name(TokenTable(*described), takes_unknown=True)
        return pieces

    def _name(self, described: TokenTable, takes_unknown: bool) -> None:
        vocabulary = Vocabulary(described)
        self.takes_unknown, self.unknown = takes_unknown, vocabulary.unknown
        self.names, self.ids = vocabulary.names, vocabulary.ids
        self.unsaid, self._bytes = vocabulary.unsaid, vocabulary.bytes

    @property
    def opening_bytes(self) -> int:
        return self._opened.took

    @property
    def held_bytes(self) -> int:
        """Bytes held here and in the tokenizer's process."""
        opened = self._opened
        return opened.held + len(opened.definition.content) + ROW_BYTES * len(self.names)

    @property
    def source(self) -> SubwordTokenizer:
        """The encoder's tokenizer."""
        return self

    @cached_property
    def known(self) -> dict[str, int]:
        """Tokens allowed in texts."""
        refused = None if self.takes_unknown else self.unknown
        return {name: i for name, i in self.ids.items() if i != refused}

    @classmethod
    def read(cls, path: Path, *, takes_unknown: bool = True) -> SubwordTokenizer:
        return cls(path.read_text(encoding="utf-8"), takes_unknown=takes_unknown)

    def tokenize(self, text: str, pair: str | None = None, *, bare: bool = False) -> list[Token]:
        """Spans in `pair` count from its start."""
        return self.cut(text, pair, bare=bare).tokens

    def cut(
        self, text: str, pair: str | None = None, *, bare: bool = False, most: int = ALL
    ) -> Tokenization:
        """Return about `most` tokens if there are more."""
        effort, characters = self._opened.effort, len(text) + len(pair or "")
        fewest = effort.fewest(characters)
        if fewest > most and effort.seconds(characters) > LONG:
            begun = self._encoded(text[: EACH * most], None, bare, most + 1)
            return Tokenization(self._tokens(begun), fewest, exact=False)
        encoded = self._encoded(text, pair, bare, most + 1)
        return Tokenization(self._tokens(encoded), encoded.total)

    def _encoded(self, text: str, pair: str | None, bare: bool, most: int) -> Encoded:
        return self._opened.encode(text, pair, bare, most, len(self.names))

    def _tokens(self, encoded: Encoded) -> list[Token]:
        tokens: list[Token] = []
        sentence = last = 0
        for i, start, end, own, kind in zip(*encoded[1:], strict=True):
            added = own == NO_TEXT
            if added:  # an empty span after the previous token
                start = end = last
            else:
                sentence, last = own, end
            unknown = i == self.unknown and not added
            tokens.append(Token(self.names[i], start, end, sentence, kind, added, unknown, i))
        return tokens

    def text(self, ids: Sequence[int]) -> str:
        """Invalid UTF-8 becomes U+FFFD."""
        return b"".join(self._bytes[i] for i in ids).decode("utf-8", errors="replace")


def read_pieces(
    text: str, pieces: SubwordTokenizer, at: str = "text", *, bare: bool = False, most: int = ALL
) -> Tokenization:
    """Raises EmptyText, InvalidRequest, and TooLarge if too slow."""
    return _read(pieces, {at: text}, bare, most)


def read_pair(
    text: str, pair: str, pieces: SubwordTokenizer, at: tuple[str, str], *, bare: bool = False,
    most: int = ALL,
) -> Tokenization:  # fmt: skip
    return _read(pieces, dict(zip(at, (text, pair), strict=True)), bare, most)


def _read(pieces: SubwordTokenizer, texts: dict[str, str], bare: bool, most: int) -> Tokenization:
    first = next(iter(texts))
    for at, text in texts.items():
        check_text(text, at)
    try:
        cut = pieces.cut(*texts.values(), bare=bare, most=most)
    except TokenizerFailed:
        raise InvalidRequest("tokenizer_failed", at=first) from None
    except PieceWithoutRow as error:
        rows, piece = len(pieces.names), error.piece[:MOST_SHOWN]
        raise InvalidRequest("piece_without_row", at=first, piece=piece, rows=rows) from None
    except TokenizationFailed:
        raise too_costly(first) from None
    for sentence, (at, text) in enumerate(texts.items()):
        own = [token for token in cut.tokens if token.sentence == sentence]
        if cut.whole and all(token.added for token in own):
            raise EmptyText("no_token", at=at)
        _check_known(text, own, pieces, at)
    return cut


def without_end(tokens: Sequence[Token]) -> list[Token]:
    """Drop added end tokens, so that the text can continue."""
    own = [i for i, token in enumerate(tokens) if not token.added]
    return list(tokens[: own[-1] + 1]) if own else []


def _check_known(text: str, tokens: list[Token], pieces: SubwordTokenizer, at: str) -> None:
    if pieces.takes_unknown:
        return
    for token in tokens:
        if token.unknown:
            known = " ".join(pieces.known)
            raise InvalidRequest(
                "unknown_piece", at=at, position=token.start, piece=text[token.start : token.end],
                known=known if len(known) <= MOST_SHOWN else f"{known[:MOST_SHOWN]} …",
            )  # fmt: skip
