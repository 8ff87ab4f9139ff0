"""Text to the pieces of a trained tokenizer (tokenizer.json), with their offsets, and back.

What is quick is cut where it is asked for; everything else, and every text of a tokenizer that came
with a model from elsewhere, in a process (`processes.py`). A vocabulary without bytes has a piece
that replaces whatever is not in it, such as [UNK]. Predictions never have it; texts may, if the
model was trained with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from app.errors import EmptyText, InvalidRequest
from app.tokens.effort import Effort
from app.tokens.library import NO_TEXT, Encoded, PieceWithoutRow, TokenizerFailed, Trained
from app.tokens.process import CutFailed
from app.tokens.processes import Definition, shared
from app.tokens.reading import too_costly
from app.tokens.split import ALL, Cut, Token, check_text
from app.tokens.vocabulary import Described, Vocabulary

MOST_TOLD = 80  # characters of a vocabulary, in a refusal
QUICK = 0.0025  # seconds of CPU: such a text is cut where it is asked for
LONG = 0.25  # seconds: a text that takes longer is not cut where it surely has too many tokens
EACH = 4  # characters of a token, in the beginning of a text that is not cut as a whole
ROW_BYTES = 400  # that the names of a piece take


@dataclass(frozen=True)
class _Opened:
    """The tokenizer: here, in a process, or both."""

    definition: Definition
    effort: Effort
    here: Trained | None = None
    took: int = 0
    held: int = 0

    def encode(self, text: str, pair: str | None, bare: bool, most: int, rows: int) -> Encoded:
        seconds = self.effort.seconds(len(text) + len(pair or ""))
        if self.here is not None and seconds <= QUICK:
            return self.here.encode(text, pair, bare, most, rows)
        given = text, pair, bare, most, rows
        total, *parts = shared().ask(self.definition, "encode", *given, seconds=seconds)
        return Encoded(total, *parts)


class Pieces:
    """A tokenizer without truncation and padding. `takes_unknown`: whether a text may have the
    unknown piece.

    Many tables of embeddings have more `rows` than the tokenizer has pieces: those that no text has
    are shown by their number. Some have fewer: then pieces behind the last row are in no text.
    """

    def __init__(self, definition: str, rows: int = 0, *, takes_unknown: bool = True) -> None:
        here = Trained(definition)
        self._opened = _Opened(Definition(definition.encode()), here.effort, here)
        self._name(here.described(rows), takes_unknown)

    @classmethod
    def elsewhere(cls, definition: bytes, rows: int, *, strange: bool) -> Pieces:
        """A tokenizer that is opened in a process alone; `strange`: after checking what it says.
        Raises StrangeDefinition, TokenizerFailed, CutFailed, and Elsewhere on the event loop."""
        asked = Definition(definition, strange)
        said, took, held = shared().described(asked, rows)
        *described, effort = said
        pieces = cls.__new__(cls)
        pieces._opened = _Opened(asked, Effort(*effort), None, took, held)
        pieces._name(Described(*described), takes_unknown=True)
        return pieces

    def _name(self, said: Described, takes_unknown: bool) -> None:
        vocabulary = Vocabulary(said)
        self.takes_unknown, self.unknown = takes_unknown, vocabulary.unknown
        self.names, self.ids = vocabulary.names, vocabulary.ids
        self.unsaid, self._bytes = vocabulary.unsaid, vocabulary.bytes

    @property
    def opening_bytes(self) -> int:
        """What opening it took in its process."""
        return self._opened.took

    @property
    def held_bytes(self) -> int:
        """What it holds, in its process and here."""
        opened = self._opened
        return opened.held + len(opened.definition.content) + ROW_BYTES * len(self.names)

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
        return self.cut(text, pair, bare=bare).tokens

    def cut(
        self, text: str, pair: str | None = None, *, bare: bool = False, most: int = ALL
    ) -> Cut:
        """The same; of a text that has more than `most`, the first `most` + 1 at the most."""
        effort, characters = self._opened.effort, len(text) + len(pair or "")
        fewest = effort.fewest(characters)
        if fewest > most and effort.seconds(characters) > LONG:
            begun = self._encoded(text[: EACH * most], None, bare, most + 1)
            return Cut(self._tokens(begun), fewest, exact=False)
        encoded = self._encoded(text, pair, bare, most + 1)
        return Cut(self._tokens(encoded), encoded.total)

    def _encoded(self, text: str, pair: str | None, bare: bool, most: int) -> Encoded:
        return self._opened.encode(text, pair, bare, most, len(self.names))

    def _tokens(self, encoded: Encoded) -> list[Token]:
        tokens: list[Token] = []
        sentence = last = 0
        for i, start, end, own, kind in zip(*encoded[1:], strict=True):
            added = own == NO_TEXT
            if added:  # set around a text: stands where the one before it ends
                start = end = last
            else:
                sentence, last = own, end
            unknown = i == self.unknown and not added
            tokens.append(Token(self.names[i], start, end, sentence, kind, added, unknown, i))
        return tokens

    def text(self, ids: Sequence[int]) -> str:
        """What some pieces say; bytes that are no text become U+FFFD."""
        return b"".join(self._bytes[i] for i in ids).decode("utf-8", errors="replace")


def read_pieces(
    text: str, pieces: Pieces, at: str = "text", *, bare: bool = False, most: int = ALL
) -> Cut:
    """The pieces of a checked text. Raises EmptyText when there is none, InvalidRequest for a
    character that has none, and TooLarge where cutting takes too much."""
    return _read(pieces, {at: text}, bare, most)


def read_pair(
    text: str, pair: str, pieces: Pieces, at: tuple[str, str], *, bare: bool = False,
    most: int = ALL,
) -> Cut:  # fmt: skip
    """The same of two sentences, which stand at two fields."""
    return _read(pieces, dict(zip(at, (text, pair), strict=True)), bare, most)


def _read(pieces: Pieces, texts: dict[str, str], bare: bool, most: int) -> Cut:
    first = next(iter(texts))
    for at, text in texts.items():
        check_text(text, at)
    try:
        cut = pieces.cut(*texts.values(), bare=bare, most=most)
    except TokenizerFailed:
        raise InvalidRequest("tokenizer_failed", at=first) from None
    except PieceWithoutRow as error:
        rows, piece = len(pieces.names), error.piece[:MOST_TOLD]
        raise InvalidRequest("piece_without_row", at=first, piece=piece, rows=rows) from None
    except CutFailed:
        raise too_costly(first) from None
    for sentence, (at, text) in enumerate(texts.items()):
        own = [token for token in cut.tokens if token.sentence == sentence]
        if cut.whole and all(token.added for token in own):
            raise EmptyText("no_token", at=at)
        _check_known(text, own, pieces, at)
    return cut


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
