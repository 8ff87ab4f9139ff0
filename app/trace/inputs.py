"""The words of a question: text → tokens with offsets, padded to a batch."""

from __future__ import annotations

from dataclasses import dataclass

from app.errors import EmptyText, InvalidRequest, ShapeMismatch, TooManyTokens
from app.tokens import check_text, read_text
from app.trace.question import Question

Offset = tuple[int, int] | None


@dataclass(frozen=True)
class Words:
    """Rows of one length n; padding is None in tokens and in offsets."""

    tokens: list[list[str | None]] | None
    offsets: list[list[Offset]]
    lengths: list[int]
    n: int


def read_words(question: Question, max_tokens: int, max_characters: int) -> Words:
    """Exactly one of text, tokens and x (tokens beside x are its labels)."""
    if question.text is not None and (question.tokens is not None or question.x is not None):
        raise InvalidRequest("two_inputs", at="text")
    if question.x is not None:
        return _of_x(question, max_tokens, max_characters)
    if question.text is not None:
        rows = _of_texts(question, question.text, max_tokens, max_characters)
    elif question.tokens is not None:
        given = _of_tokens(question.tokens, max_tokens, max_characters)
        rows = [[(token, None) for token in row] for row in given]
    else:
        raise InvalidRequest("no_input", at="text")
    at = "tokens" if question.text is None else "text"
    n = _padded_length(at, [len(row) for row in rows], question.context_length, max_tokens)
    return Words(
        [[token for token, _ in row] + [None] * (n - len(row)) for row in rows],
        [[offset for _, offset in row] + [None] * (n - len(row)) for row in rows],
        [len(row) for row in rows],
        n,
    )


def _of_texts(
    question: Question, text: str | list[str], max_tokens: int, max_characters: int
) -> list[list[tuple[str, Offset]]]:
    """Every text as tokens with offsets; the first that is too long ends it."""
    texts = [text] if isinstance(text, str) else text
    if not texts:
        raise EmptyText("empty_batch", at="text")
    rows: list[list[tuple[str, Offset]]] = []
    characters = 0
    for i, one in enumerate(texts):
        at = "text" if isinstance(text, str) else f"text[{i}]"
        characters += len(one)
        if characters > max_characters:
            raise TooManyTokens(
                "too_many_characters", at=at, characters=characters, limit=max_characters
            )
        tokens = read_text(one, question.tokenizer, at)
        check_length(at, len(tokens), max_tokens)
        rows.append([(token.text, (token.start, token.end)) for token in tokens])
    return rows


def check_length(at: str, tokens: int, max_tokens: int) -> None:
    """Raises TooManyTokens."""
    if tokens > max_tokens:
        raise TooManyTokens("over_limit", at=at, tokens=tokens, limit=max_tokens)


def _of_tokens(
    tokens: list[str] | list[list[str]], max_tokens: int, max_characters: int
) -> list[list[str]]:
    """Rows of checked tokens; one list of strings is one row."""
    rows = [[token for token in tokens if isinstance(token, str)]]
    if not all(isinstance(token, str) for token in tokens):
        rows = [row for row in tokens if isinstance(row, list)]
    if not tokens:
        raise EmptyText("empty_batch", at="tokens")
    characters = 0
    for row in rows:
        if not row:
            raise EmptyText("no_token", at="tokens")
        check_length("tokens", len(row), max_tokens)
        characters += sum(map(len, row))
        if characters > max_characters:
            raise TooManyTokens(
                "too_many_characters", at="tokens", characters=characters, limit=max_characters
            )
        for token in row:
            check_text(token, "tokens")
    return rows


def _padded_length(at: str, lengths: list[int], context_length: int | None, max_tokens: int) -> int:
    longest = max(lengths)
    check_length(at, longest, max_tokens)
    check_length("context_length", context_length or 0, max_tokens)
    if context_length is not None and longest > context_length:
        raise TooManyTokens(
            "over_context_length", at="context_length", tokens=longest, limit=context_length
        )
    return context_length or longest


def _of_x(question: Question, max_tokens: int, max_characters: int) -> Words:
    assert question.x is not None
    x = question.x if question.x.ndim == 3 else question.x[None]
    batch, rows = x.shape[:2]
    n = _padded_length("x", [rows] * batch, question.context_length, max_tokens)
    tokens: list[list[str | None]] | None = None
    if question.tokens is not None:
        labels = _of_tokens(question.tokens, max_tokens, max_characters)
        if len(labels) != batch or any(len(row) != rows for row in labels):
            raise ShapeMismatch("labels_do_not_fit", at="tokens", batch=batch, n=rows)
        tokens = [[*row, *[None] * (n - rows)] for row in labels]
    return Words(tokens, [[None] * n for _ in range(batch)], [rows] * batch, n)
