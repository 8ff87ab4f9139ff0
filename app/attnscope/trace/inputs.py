from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar, cast

import numpy as np

from attnscope.errors import EmptyText, InvalidRequest, ShapeMismatch, TooLarge, TooManyTokens
from attnscope.tokens.read_text import read_text
from attnscope.tokens.split import ALL, Token, Tokenization, Tokenizer, check_text
from attnscope.tokens.subword_tokenizer import SubwordTokenizer, read_pair, read_pieces, without_end
from attnscope.trace.question import Question, Uploaded
from attnscope.trace.token_limits import Split, SplitPair, TokenLimits, check_length, end_within

MOST_TEXTS = 1 << 12
MOST_PADDED = 4096  # tokens
NO_PIECE = -1
MOST_NAMED = 8
MOST_POSITIONS = 1 << 20  # tokens of a padded batch
Offset = tuple[int, int] | None
Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Words:
    """`sentences`: 0 or 1, only for pairs; `kinds`: token types; `added`, `unknown`: None if all
    are False; `ids`: NO_PIECE for labels outside the vocabulary; `at`: request field."""

    tokens: list[list[str | None]] | None
    offsets: list[list[Offset]]
    lengths: list[int]
    n: int
    at: str = field(default="text", compare=False)
    kinds: list[list[int]] = field(default_factory=list, compare=False)
    sentences: list[list[int | None]] | None = None
    added: list[list[bool | None]] | None = field(default=None, compare=False)
    unknown: list[list[bool | None]] | None = field(default=None, compare=False)
    ids: list[np.ndarray] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class InputFields:
    """`names`: request fields of text, tokens and x."""

    text: str | list[str] | None
    tokens: list[str] | list[list[str]] | None
    x: np.ndarray | None
    names: tuple[str, str, str]
    split: Split
    length: int | None
    limits: TokenLimits
    max_characters: int
    pairs: list[str] | None = None
    split_pair: SplitPair | None = None
    pieces: SubwordTokenizer | None = None


def make_splitter(question: Question, pieces: SubwordTokenizer | None, most: int = ALL) -> Split:
    """A function that splits texts and may stop after `most` tokens. Raises InvalidRequest."""
    own = pieces is not None and isinstance(question.model, Uploaded)
    bare = question.special_tokens == "none"
    if bare and (pieces is None or not (own or question.splitting == "model")):
        raise InvalidRequest("no_special_tokens", at="special_tokens")
    if own and question.tokenizer not in (None, "model"):
        raise InvalidRequest("own_tokenizer", at="tokenizer")
    if question.splitting != "model" and not own:
        tokenizer = cast(Tokenizer, question.splitting)
        return lambda text, at: read_text(text, tokenizer, at, most=most)
    if pieces is None:
        raise InvalidRequest("no_tokenizer", at="tokenizer", source=question.model.source)
    return lambda text, at: read_pieces(text, pieces, at, bare=bare, most=most)


def with_start_token(
    question: Question, split: Split, pieces: SubwordTokenizer | None, start: int | None
) -> Split:
    own = question.splitting == "model" or isinstance(question.model, Uploaded)
    if start is None or pieces is None or not own:
        return split

    def begun(text: str, at: str) -> Tokenization:
        first = Token(pieces.names[start], 0, 0, added=True, id=start)
        if not text.strip():
            return Tokenization([first], 1)
        cut = split(text, at)
        tokens = [first, *without_end(cut.tokens)]
        return Tokenization(tokens, len(tokens)) if cut.whole else cut._replace(tokens=tokens)

    return begun


def make_pair_splitter(
    question: Question, pieces: SubwordTokenizer | None, most: int, *, takes: bool
) -> SplitPair | None:
    """Raises InvalidRequest if model, tokenizer or text allow no pair."""
    if question.pair is None:
        return None
    if not takes or pieces is None:
        raise InvalidRequest("takes_no_pairs", at="pair")
    own = question.splitting == "model" or isinstance(question.model, Uploaded)
    if question.text is None or not own:
        raise InvalidRequest("pair_without_text", at="pair")
    bare = question.special_tokens == "none"

    def split(text: str, pair: str, at: str) -> Tokenization:
        both = at, at.replace("text", "pair", 1)
        return read_pair(text, pair, pieces, both, bare=bare, most=most)

    return split


def read_words(
    question: Question,
    limits: TokenLimits,
    max_characters: int,
    split: Split,
    split_pair: SplitPair | None = None,
    pieces: SubwordTokenizer | None = None,
) -> Words:
    """Read text, tokens, or x with tokens as labels, which may be unknown."""
    given = InputFields(
        question.text, question.tokens, question.x, ("text", "tokens", "x"),
        split, question.context_length, limits, max_characters,
        None if question.pair is None else _pairs_of(question.text, question.pair), split_pair,
        pieces,
    )  # fmt: skip
    return _read(given)


def _pairs_of(text: str | list[str] | None, pair: str | list[str]) -> list[str]:
    texts, pairs = ([one] if isinstance(one, str) else one or [] for one in (text, pair))
    if isinstance(text, str) != isinstance(pair, str) or len(texts) != len(pairs):
        raise ShapeMismatch("pairs_of_texts", at="pair", texts=len(texts), pairs=len(pairs))
    return pairs


def read_context(
    question: Question,
    limits: TokenLimits,
    max_characters: int,
    split: Split,
    pieces: SubwordTokenizer | None = None,
) -> Words | None:
    if not question.has_context:
        return None
    given = InputFields(
        question.context, question.context_tokens, question.context_x,
        ("context", "context_tokens", "context_x"),
        split, None, limits, max_characters, pieces=pieces,
    )  # fmt: skip
    return _read(given)


def _read(given: InputFields) -> Words:
    text, tokens, x = given.names
    if given.text is not None and (given.tokens is not None or given.x is not None):
        raise InvalidRequest("two_inputs", at=text, tokens=tokens, x=x)
    if given.x is not None:
        return _of_x(given, given.x)
    if given.text is not None:
        return _words_of_rows(given, text, _tokenize_texts(given, given.text))
    if given.tokens is None:
        raise InvalidRequest("no_input", at=text)
    rows = _read_token_lists(given)
    lengths = [len(row) for row in rows]
    n = _length(given, tokens, lengths)
    ids = _ids_by_name(given.pieces, rows, tokens)
    return Words(padded(rows, n), [[None] * n for _ in rows], lengths, n, tokens, ids=ids)


def _words_of_rows(given: InputFields, at: str, rows: list[list[Token]]) -> Words:
    lengths = [len(row) for row in rows]
    n = _length(given, at, lengths)
    sentences = [[one.sentence for one in row] for row in rows]
    return Words(
        padded([[one.text for one in row] for row in rows], n),
        padded([[(one.start, one.end) for one in row] for row in rows], n),
        lengths,
        n,
        at,
        [[one.kind for one in row] for row in rows],
        None if given.pairs is None else padded(sentences, n),
        _marked([[one.added for one in row] for row in rows], n),
        _marked([[one.unknown for one in row] for row in rows], n),
        _ids(given.pieces, rows, at),
    )


def _ids(
    pieces: SubwordTokenizer | None, rows: list[list[Token]], at: str
) -> list[np.ndarray] | None:
    if any(one.id is None for row in rows for one in row):
        return _ids_by_name(pieces, [[one.text for one in row] for row in rows], at)
    return [np.array([one.id for one in row], np.int32) for row in rows]


def _ids_by_name(
    pieces: SubwordTokenizer | None, rows: list[list[str]], at: str
) -> list[np.ndarray] | None:
    if pieces is None:
        return None
    known = pieces.known
    missing = sorted({name for row in rows for name in row if name not in known})
    if missing:
        raise InvalidRequest("not_in_vocabulary", at=at, tokens=", ".join(missing[:MOST_NAMED]))
    return [np.array([known[name] for name in row], np.int32) for row in rows]


def _ids_of_labels(
    pieces: SubwordTokenizer | None, rows: list[list[str]]
) -> list[np.ndarray] | None:
    if pieces is None:
        return None
    return [np.array([pieces.ids.get(name, NO_PIECE) for name in row], np.int32) for row in rows]


def _marked(rows: list[list[bool]], n: int) -> list[list[bool | None]] | None:
    return padded(rows, n) if any(map(any, rows)) else None


def padded(rows: list[list[Entry]], n: int) -> list[list[Entry | None]]:
    return [[*row, *[None] * (n - len(row))] for row in rows]


def _tokenize_texts(given: InputFields, text: str | list[str]) -> list[list[Token]]:
    """Raises EmptyText, or TooManyTokens at the first long text."""
    name, limit = given.names[0], given.max_characters
    texts = [text] if isinstance(text, str) else text
    if not texts:
        raise EmptyText("empty_batch", at=name)
    rows: list[list[Token]] = []
    characters = 0
    for i, one in enumerate(texts):
        at = name if isinstance(text, str) else f"{name}[{i}]"
        second = "" if given.pairs is None else given.pairs[i]
        characters += len(one) + len(second)
        if characters > limit:
            raise TooManyTokens("too_many_characters", at=at, characters=characters, limit=limit)
        if given.split_pair is None:
            cut = given.split(one, at)
            end = partial(end_within, one, cut.tokens, split=given.split, at=at)
            given.limits.check(at, cut.total, end, exact=cut.exact)
        else:
            cut = given.split_pair(one, second, at)
            given.limits.check(at, cut.total, exact=cut.exact)
        rows.append(cut.tokens)
    return rows


def check_positions(at: str, rows: int, n: int) -> None:
    """Raises TooLarge; padding counts."""
    if rows > MOST_TEXTS:
        raise TooLarge("texts", at=at, rows=f"{rows:,}", limit=f"{MOST_TEXTS:,}")
    if rows * n > MOST_POSITIONS:
        raise TooLarge("batch", at=at, rows=rows, n=n, limit=f"{MOST_POSITIONS:,}")


def _read_token_lists(given: InputFields) -> list[list[str]]:
    tokens, at, limit = given.tokens or [], given.names[1], given.max_characters
    rows = [row for row in tokens if isinstance(row, list)]
    rows = rows or [[token for token in tokens if isinstance(token, str)]]
    if not tokens:
        raise EmptyText("empty_batch", at=at)
    characters = 0
    for i, row in enumerate(rows):
        if not row:
            raise EmptyText("no_token", at=at)
        given.limits.check(at if len(rows) == 1 else f"{at}[{i}]", len(row))
        characters += sum(map(len, row))
        if characters > limit:
            raise TooManyTokens("too_many_characters", at=at, characters=characters, limit=limit)
        for token in row:
            check_text(token, at)
    return rows


def _length(given: InputFields, at: str, lengths: list[int]) -> int:
    longest, wanted = max(lengths), given.length
    given.limits.check(at, longest)
    check_length("context_length", wanted or 0, min(given.limits.max_tokens, MOST_PADDED))
    if wanted is not None and longest > wanted:
        raise TooManyTokens(
            "over_context_length", at="context_length", tokens=longest, limit=wanted
        )
    n = wanted or longest
    check_positions(at, len(lengths), n)
    return n


def _of_x(given: InputFields, x: np.ndarray) -> Words:
    batch, rows = (x if x.ndim == 3 else x[None]).shape[:2]
    _, at, name = given.names
    lengths = [rows] * batch
    n = _length(given, name, lengths)
    tokens: list[list[str | None]] | None = None
    ids: list[np.ndarray] | None = None
    if given.tokens is not None:
        labels = _read_token_lists(given)
        if len(labels) != batch or any(len(row) != rows for row in labels):
            raise ShapeMismatch("labels_do_not_fit", at=at, x=name, batch=batch, n=rows)
        tokens = padded(labels, n)
        ids = _ids_of_labels(given.pieces, labels)
    return Words(tokens, [[None] * n for _ in range(batch)], lengths, n, name, ids=ids)
