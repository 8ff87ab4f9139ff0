"""The words of a question and of its context: text → tokens with offsets, padded to a batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import cast

import numpy as np

from app.errors import EmptyText, InvalidRequest, ShapeMismatch, TooLarge, TooManyTokens
from app.tokens import Token, Tokenizer, check_text, read_text
from app.tokens.pieces import Pieces, read_pieces, without_end
from app.trace.question import Question
from app.trace.room import Room, Split, check_length, end_within

MOST_TEXTS = 1 << 12  # in one batch: each has masks of its own
MOST_POSITIONS = 1 << 20  # of a batch with its padding: each costs some bytes before any number
Offset = tuple[int, int] | None


@dataclass(frozen=True)
class Words:
    """Rows of one length n; padding is None in tokens and in offsets; `at` is the field they
    were given in."""

    tokens: list[list[str | None]] | None
    offsets: list[list[Offset]]
    lengths: list[int]
    n: int
    at: str = field(default="text", compare=False)


@dataclass(frozen=True)
class Given:
    """One side of a question, the text or its context; `names` are its fields in the request."""

    text: str | list[str] | None
    tokens: list[str] | list[list[str]] | None
    x: np.ndarray | None
    names: tuple[str, str, str]
    split: Split
    length: int | None  # to pad to
    room: Room
    max_characters: int


def splitting(question: Question, pieces: Pieces | None) -> Split:
    """How the texts of a question become tokens; `pieces` are the model's own.

    Raises InvalidRequest where a model is asked that has none.
    """
    if question.splitting != "model":
        tokenizer = cast(Tokenizer, question.splitting)
        return lambda text, at: read_text(text, tokenizer, at)
    if pieces is None:
        raise InvalidRequest("no_tokenizer", at="tokenizer", source=question.model.source)
    return lambda text, at: read_pieces(text, pieces, at)


def beginning(question: Question, split: Split, pieces: Pieces | None, start: int | None) -> Split:
    """The same for the text of a decoder, which begins with a piece of its own: an empty text has
    that alone."""
    if start is None or pieces is None or question.splitting != "model":
        return split

    def begun(text: str, at: str) -> list[Token]:
        first = Token(pieces.names[start], 0, 0)
        if not text.strip():
            return [first]
        return [first, *without_end(read_pieces(text, pieces, at))]

    return begun


def read_words(question: Question, room: Room, max_characters: int, split: Split) -> Words:
    """Exactly one of text, tokens and x (tokens beside x are its labels)."""
    given = Given(
        question.text, question.tokens, question.x, ("text", "tokens", "x"),
        split, question.context_length, room, max_characters,
    )  # fmt: skip
    return _read(given)


def read_context(question: Question, room: Room, max_characters: int, split: Split) -> Words | None:
    """The same of context, context_tokens and context_x; None where there is none of them."""
    if not question.has_context:
        return None
    given = Given(
        question.context, question.context_tokens, question.context_x,
        ("context", "context_tokens", "context_x"),
        split, None, room, max_characters,
    )  # fmt: skip
    return _read(given)


def _read(given: Given) -> Words:
    text, tokens, x = given.names
    if given.text is not None and (given.tokens is not None or given.x is not None):
        raise InvalidRequest("two_inputs", at=text, tokens=tokens, x=x)
    if given.x is not None:
        return _of_x(given, given.x)
    if given.text is not None:
        at, rows = text, _of_texts(given, given.text)
    elif given.tokens is not None:
        at, rows = tokens, [[(token, None) for token in row] for row in _of_tokens(given)]
    else:
        raise InvalidRequest("no_input", at=text)
    n = _padded_length(at, [len(row) for row in rows], given)
    check_positions(at, len(rows), n)
    return Words(
        [[token for token, _ in row] + [None] * (n - len(row)) for row in rows],
        [[offset for _, offset in row] + [None] * (n - len(row)) for row in rows],
        [len(row) for row in rows],
        n,
        at,
    )


def _of_texts(given: Given, text: str | list[str]) -> list[list[tuple[str, Offset]]]:
    """Every text as tokens with offsets; the first that is too long ends it."""
    name, limit = given.names[0], given.max_characters
    texts = [text] if isinstance(text, str) else text
    if not texts:
        raise EmptyText("empty_batch", at=name)
    rows: list[list[tuple[str, Offset]]] = []
    characters = 0
    for i, one in enumerate(texts):
        at = name if isinstance(text, str) else f"{name}[{i}]"
        characters += len(one)
        if characters > limit:
            raise TooManyTokens("too_many_characters", at=at, characters=characters, limit=limit)
        tokens = given.split(one, at)
        end = partial(end_within, one, tokens, split=given.split, at=at)
        given.room.check(at, len(tokens), end)
        rows.append([(token.text, (token.start, token.end)) for token in tokens])
    return rows


def check_positions(at: str, rows: int, n: int) -> None:
    """Raises TooLarge where padding makes a batch large: one long text beside many short ones."""
    if rows > MOST_TEXTS:
        raise TooLarge("texts", at=at, rows=f"{rows:,}", limit=f"{MOST_TEXTS:,}")
    if rows * n > MOST_POSITIONS:
        raise TooLarge("batch", at=at, rows=rows, n=n, limit=f"{MOST_POSITIONS:,}")


def _of_tokens(given: Given) -> list[list[str]]:
    """Rows of checked tokens; one list of strings is one row."""
    tokens, at, limit = given.tokens or [], given.names[1], given.max_characters
    rows = [[token for token in tokens if isinstance(token, str)]]
    if not all(isinstance(token, str) for token in tokens):
        rows = [row for row in tokens if isinstance(row, list)]
    if not tokens:
        raise EmptyText("empty_batch", at=at)
    characters = 0
    for i, row in enumerate(rows):
        if not row:
            raise EmptyText("no_token", at=at)
        given.room.check(at if len(rows) == 1 else f"{at}[{i}]", len(row))
        characters += sum(map(len, row))
        if characters > limit:
            raise TooManyTokens("too_many_characters", at=at, characters=characters, limit=limit)
        for token in row:
            check_text(token, at)
    return rows


def _padded_length(at: str, lengths: list[int], given: Given) -> int:
    longest, wanted = max(lengths), given.length
    given.room.check(at, longest)
    check_length("context_length", wanted or 0, given.room.max_tokens)
    if wanted is not None and longest > wanted:
        raise TooManyTokens(
            "over_context_length", at="context_length", tokens=longest, limit=wanted
        )
    return wanted or longest


def _of_x(given: Given, x: np.ndarray) -> Words:
    batch, rows = (x if x.ndim == 3 else x[None]).shape[:2]
    _, at, name = given.names
    n = _padded_length(name, [rows], given)
    check_positions(name, batch, n)
    tokens: list[list[str | None]] | None = None
    if given.tokens is not None:
        labels = _of_tokens(given)
        if len(labels) != batch or any(len(row) != rows for row in labels):
            raise ShapeMismatch("labels_do_not_fit", at=at, x=name, batch=batch, n=rows)
        tokens = [[*row, *[None] * (n - rows)] for row in labels]
    return Words(tokens, [[None] * n for _ in range(batch)], [rows] * batch, n, name)
