from __future__ import annotations

import json
from typing import Any

from attnscope.errors import InvalidRequest, ShapeMismatch
from attnscope.tokens.split import check_text

MOST_TOKENS = 131_072


def read_tokens(text: str, at: str) -> list[list[str]]:
    """Parse a JSON list of tokens, or a list of such lists. Raises InvalidRequest."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    rows = [found] if is_row(found) or is_row_of_ids(found) else found
    if isinstance(rows, list) and any(map(is_row_of_ids, rows)):
        raise InvalidRequest("ids_without_tokenizer", at=at)
    if not (isinstance(rows, list) and rows and all(map(is_row, rows))):
        raise InvalidRequest("no_token_lists", at=at)
    for row in rows:
        for token in row:
            check_text(token, at)
    return rows


def fitted(
    rows: list[list[str]], batch: int, n: int, at: str, *, spare: int = 0
) -> list[list[str]]:
    """Check the number of tokens, and drop up to `spare` at the end. Raises ShapeMismatch."""
    if len(rows) != batch:
        raise ShapeMismatch("capture_texts", at=at, found=len(rows), batch=batch)
    longest = max(map(len, rows))
    if not n <= longest <= n + spare:
        raise ShapeMismatch("capture_tokens", at=at, found=longest, n=n)
    return [row[:n] for row in rows]


def is_row(value: Any) -> bool:
    return _is_list(value) and all(isinstance(token, str) for token in value)


def is_row_of_ids(value: Any) -> bool:
    return _is_list(value) and all(type(token) is int for token in value)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and 0 < len(value) <= MOST_TOKENS
