from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

from attnscope.errors import BadWeightsFile, InvalidRequest, ShapeMismatch
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


AT = "tokenizer"  # field of the form


def name_ids(texts: Mapping[str, str], tokenizer: bytes) -> dict[str, str]:
    """Replace token ids by pieces. Raises BadWeightsFile, and InvalidRequest for unknown ids or if
    no text has ids."""
    pieces = pieces_of(tokenizer)
    named = {at: _named(text, at, pieces) for at, text in texts.items()}
    if named == dict(texts):
        raise InvalidRequest("tokenizer_without_ids", at=AT)
    return named


def pieces_of(tokenizer: bytes) -> dict[int, str]:
    """Raises BadWeightsFile."""
    try:
        parts = orjson.loads(tokenizer)
        vocabulary = parts["model"]["vocab"]
        if isinstance(vocabulary, list):  # Unigram lists [piece, score]
            pieces = dict(enumerate(row[0] for row in vocabulary))
        else:
            pieces = {id: piece for piece, id in vocabulary.items()}
        pieces |= {one["id"]: one["content"] for one in parts.get("added_tokens") or ()}
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        pieces = {}
    if not pieces or not all(map(_is_entry, pieces.items())):
        raise BadWeightsFile("tokenizer_broken", at=AT)
    return pieces


def _named(text: str, at: str, pieces: Mapping[int, str]) -> str:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text  # read_tokens refuses this text
    rows = [found] if is_row_of_ids(found) else found
    if not isinstance(rows, list) or not any(map(is_row_of_ids, rows)):
        return text
    return json.dumps([_row(row, at, pieces) for row in rows])


def _row(row: Any, at: str, pieces: Mapping[int, str]) -> Any:
    if is_row(row) or not is_row_of_ids(row):
        return row
    for i, id in enumerate(row):
        if id not in pieces:
            raise InvalidRequest("unknown_token_id", at=at, given=id, index=i)
    return [pieces[id] for id in row]


def _is_entry(entry: tuple[Any, Any]) -> bool:
    id, piece = entry
    return type(id) is int and isinstance(piece, str)
