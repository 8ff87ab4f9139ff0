"""Text to the pieces of a trained tokenizer (tokenizer.json), with their offsets, and back.

A piece is told as the text it stands for. One that is part of a character only, or a byte where
the character has a piece of its own, is told by its bytes: é in two pieces is <C3> and <A9>.
Byte-level pieces are written in the 256 signs of GPT-2 (Radford et al. 2019), one for each byte;
others have their bytes in <0xC3> signs or as they are, and ▁ for a space where the tokenizer puts
it there (Kudo & Richardson 2018). Of two pieces with one text, the one that the tokenizer finds by
this text is told as it; the other by its bytes. A vocabulary without bytes has a piece that
replaces whatever is not in it, such as [UNK]. Predictions never have it; texts may, if the model
was trained with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from app.errors import EmptyText, InvalidRequest
from app.tokens.split import Token, check_text

MOST_TOLD = 80  # characters of a vocabulary, in a refusal
BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
SPACE = "▁"


def _signs() -> dict[str, int]:
    """Sign → byte: those that can be printed stand for themselves, the others from U+0100 on."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(b): b for b in plain} | {chr(256 + i): b for i, b in enumerate(others)}


SIGNS = _signs()


class TokenizerFailed(Exception):
    """The tokenizer broke off: its definition says what cannot be done."""


class PieceWithoutRow(Exception):
    """A text has a `piece` that the table of embeddings has no row for."""

    def __init__(self, piece: str) -> None:
        super().__init__(piece)
        self.piece = piece


@contextmanager
def _reliably() -> Iterator[None]:
    """Whatever the library raises, a panic of its own kind too, as TokenizerFailed."""
    try:
        yield
    except Exception as error:  # it raises nothing narrower
        raise TokenizerFailed from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise TokenizerFailed from error


class Pieces:
    """A tokenizer without truncation and padding. `takes_unknown`: whether a text may have the
    unknown piece.

    Many tables of embeddings have more `rows` than the tokenizer has pieces: those that no text has
    are called by their number. Some have fewer: then pieces behind the last row are in no text.
    """

    def __init__(self, definition: str, rows: int = 0, *, takes_unknown: bool = True) -> None:
        with _reliably():
            self._tokenizer = Tokenizer.from_str(definition)
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
        self.takes_unknown = takes_unknown
        parts = json.loads(definition)
        byte_level, spaces = '"ByteLevel"' in definition, _marks_spaces(parts)
        count = rows or self._tokenizer.get_vocab_size()
        known = [self._tokenizer.id_to_token(i) for i in range(count)]
        self.unknown = self._find(_unknown(parts))
        self._name(known, byte_level=byte_level, spaces=spaces)

    def _name(self, known: Sequence[str | None], *, byte_level: bool, spaces: bool) -> None:
        """Names the rows, of which `known` are the pieces."""
        empty = {i for i, name in enumerate(known) if name is None}
        names = [f"<row {i}>" if name is None else name for i, name in enumerate(known)]
        self._bytes = [b"" if i in empty else _bytes_of(name, byte_level=byte_level, spaces=spaces)
                       for i, name in enumerate(names)]  # fmt: skip
        whole = {_shown(content) for name, content in zip(names, self._bytes, strict=True)
                 if not BYTE.fullmatch(name)}  # fmt: skip
        shown = [
            name if i in empty
            else _in_bytes(content) if BYTE.fullmatch(name) and _shown(content) in whole
            else _shown(content)
            for i, (name, content) in enumerate(zip(names, self._bytes, strict=True))
        ]  # fmt: skip
        self.names = tuple(self._apart(shown))
        self.unsaid = [i for i, name in enumerate(self.names)  # no text has them
                       if "\0" in name or i == self.unknown or i in empty]  # fmt: skip
        self.ids: dict[str, int] = {}
        for i, name in enumerate(self.names):
            self.ids.setdefault(name, i)

    def _apart(self, names: list[str]) -> list[str]:
        """The names without duplicates: GPT-NeoX has each run of spaces twice, once as an added
        token."""
        owners: dict[str, int] = {}
        for i, name in enumerate(names):
            if owners.setdefault(name, i) != i:
                found = self._find(name)
                if found is not None and found < len(names) and names[found] == name:
                    owners[name] = found
        return [name if owners[name] == i else _in_bytes(self._bytes[i])
                for i, name in enumerate(names)]  # fmt: skip

    def _find(self, piece: str) -> int | None:
        """Its row."""
        return self._tokenizer.token_to_id(piece)

    @property
    def source(self) -> Pieces:
        """Those of the text that an encoder reads, where a decoder writes another: of most models
        the same."""
        return self

    @cached_property
    def known(self) -> dict[str, int]:
        """Name → id of all pieces that a text may have."""
        refused = None if self.takes_unknown else self.unknown
        return {name: i for name, i in self.ids.items() if i != refused}

    @classmethod
    def read(cls, path: Path, *, takes_unknown: bool = True) -> Pieces:
        """Of a tokenizer.json."""
        return cls(path.read_text(encoding="utf-8"), takes_unknown=takes_unknown)

    def tokenize(self, text: str, pair: str | None = None, *, bare: bool = False) -> list[Token]:
        """The pieces of a text in reading order, white space among them; then those of a second
        one, whose places count from its own start. Around them are those that the tokenizer adds,
        such as [CLS], unless it is to be `bare`."""
        with _reliably():
            encoded = self._tokenizer.encode(text, pair, add_special_tokens=not bare)
        if beyond := [i for i in encoded.ids if i >= len(self.names)]:
            raise PieceWithoutRow(str(self._tokenizer.id_to_token(beyond[0])))
        tokens: list[Token] = []
        sentence = last = 0
        for i, (start, end), own, kind in zip(
            encoded.ids, encoded.offsets, encoded.sequence_ids, encoded.type_ids, strict=True
        ):
            if own is None:  # set around a text: stands where the one before it ends
                start = end = last
            else:
                sentence, last = own, end
            is_unknown = i == self.unknown and own is not None
            added = own is None
            tokens.append(Token(self.names[i], start, end, sentence, kind, added, is_unknown, i))
        return tokens

    def text(self, ids: Sequence[int]) -> str:
        """What some pieces say; bytes that are no text become U+FFFD."""
        return b"".join(self._bytes[i] for i in ids).decode("utf-8", errors="replace")


def read_pieces(text: str, pieces: Pieces, at: str = "text", *, bare: bool = False) -> list[Token]:
    """The pieces of a checked text. Raises EmptyText when there is none, and InvalidRequest for a
    character that has none."""
    return _read(pieces, {at: text}, bare)


def read_pair(
    text: str, pair: str, pieces: Pieces, at: tuple[str, str], *, bare: bool = False
) -> list[Token]:
    """The same of two sentences, which stand at two fields."""
    return _read(pieces, dict(zip(at, (text, pair), strict=True)), bare)


def _read(pieces: Pieces, texts: dict[str, str], bare: bool) -> list[Token]:
    for at, text in texts.items():
        check_text(text, at)
    try:
        tokens = pieces.tokenize(*texts.values(), bare=bare)
    except TokenizerFailed:
        raise InvalidRequest("tokenizer_failed", at=next(iter(texts))) from None
    except PieceWithoutRow as error:
        rows, piece = len(pieces.names), error.piece[:MOST_TOLD]
        at = next(iter(texts))
        raise InvalidRequest("piece_without_row", at=at, piece=piece, rows=rows) from None
    for sentence, (at, text) in enumerate(texts.items()):
        own = [token for token in tokens if token.sentence == sentence]
        if all(token.added for token in own):
            raise EmptyText("no_token", at=at)
        _check_known(text, own, pieces, at)
    return tokens


def without_end(tokens: Sequence[Token]) -> list[Token]:
    """The pieces of a text that goes on: without those that the tokenizer sets behind one, which
    have no room in it."""
    own = [i for i, token in enumerate(tokens) if not token.added]
    return list(tokens[: own[-1] + 1]) if own else []


def _check_known(text: str, tokens: list[Token], pieces: Pieces, at: str) -> None:
    if pieces.takes_unknown:
        return
    for token in tokens:
        if token.unknown:
            known = " ".join(pieces.known)
            raise InvalidRequest(
                "unknown_piece", at=at, position=token.start, piece=text[token.start : token.end],
                known=known if len(known) <= MOST_TOLD else f"{known[:MOST_TOLD]} …",
            )  # fmt: skip


def _unknown(parts: Mapping[str, Any]) -> str:
    """The piece for what is not in the vocabulary; empty where there is none."""
    return parts["model"].get("unk_token") or ""


def _marks_spaces(parts: Mapping[str, Any]) -> bool:
    """Whether a text has ▁ for its spaces when it is cut."""
    before = [parts.get("normalizer"), parts.get("pre_tokenizer")]
    return SPACE in json.dumps(before, ensure_ascii=False)


def _bytes_of(name: str, *, byte_level: bool, spaces: bool) -> bytes:
    if byte_level and all(sign in SIGNS for sign in name):
        return bytes(SIGNS[sign] for sign in name)
    byte = BYTE.fullmatch(name)
    if byte:
        return bytes([int(byte[1], 16)])
    return (name.replace(SPACE, " ") if spaces else name).encode()


def _shown(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return _in_bytes(content)


def _in_bytes(content: bytes) -> str:
    return "".join(f"<{byte:02X}>" for byte in content)
