from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from attnscope.errors import AttnscopeError, InvalidRequest

MOST_PLACES = 20
MOST_NAMES = 256  # else pydantic reports each unknown field
LONGEST_NAME = 80  # characters
LONGEST_VALUE = 40

# Pydantic type → reason of an InvalidRequest.
REASONS = {
    "missing": "missing",
    "extra_forbidden": "unknown_field",
    "literal_error": "not_a_choice",
    "union_tag_invalid": "not_a_choice",
    "union_tag_not_found": "no_source",
    "greater_than": "too_small_or_equal",
    "greater_than_equal": "too_small",
    "less_than_equal": "too_large",
    "too_short": "wrong_length",
    "too_long": "wrong_length",
    "string_too_long": "too_many_characters",
    "finite_number": "not_finite",
    "string_type": "not_a_text",
    "int_type": "not_an_integer",
    "int_parsing": "not_an_integer",
    "int_from_float": "not_an_integer",
    "float_type": "not_a_number",
    "bool_type": "not_true_or_false",
    "bool_parsing": "not_true_or_false",
    "list_type": "not_a_list",
    "model_type": "not_an_object",
    "model_attributes_type": "not_an_object",
    "dict_type": "not_an_object",
}
ONE_VALUE = ("not_an_integer", "not_a_number", "not_a_text")
BOUNDS = {"min_length": "≥", "max_length": "≤"}
LIMITS = ("gt", "ge", "le", "max_length")
SHOWN = ("gt", "ge", "le", "expected", "expected_tags", "discriminator")


def check_fields(parsed: Any) -> None:
    names, objects = 0, [parsed] if isinstance(parsed, dict) else []
    while objects:
        one = objects.pop()
        names += len(one)
        if names > MOST_NAMES:
            raise InvalidRequest("too_many_fields", at="body", limit=MOST_NAMES)
        objects += [value for value in one.values() if isinstance(value, dict)]


def from_validation(
    error: RequestValidationError | ValidationError, body: Any
) -> list[AttnscopeError]:
    """Convert pydantic's errors, one for each place."""
    found: dict[str, AttnscopeError] = {}
    for one in _without_list_errors(error.errors()[:MOST_PLACES]):
        at, context = _place(one["loc"], body, one["type"]), one.get("ctx", {})
        reason = REASONS.get(one["type"], "invalid_value")
        values = {name: context[name] for name in SHOWN if name in context}
        values["given"] = _short(one.get("input"))
        if reason == "no_source" and values["discriminator"] == "'kind'":
            reason = "no_kind"
        if reason == "not_a_choice":
            expected = values.get("expected") or values.get("expected_tags")
            values["expected"] = str(expected).replace(" or ", ", ")  # without the English word
        if reason == "wrong_length":
            values["wanted"] = _wanted(context)
        if at in found and reason in ("not_a_list", "not_a_choice"):
            continue
        values["limit"] = next((context[name] for name in LIMITS if name in context), None)
        found[at] = InvalidRequest(reason, at=at, **values)
    return list(found.values())


def _wanted(context: Mapping[str, Any]) -> str:
    return next(f"{sign} {context[name]}" for name, sign in BOUNDS.items() if name in context)


def _without_list_errors(complaints: Sequence[Any]) -> Iterator[Any]:
    """Drop "must be one value" for a list if its field has another error."""
    rest = [one for one in complaints if not _asks_one(one)]
    fields = {_field(one) for one in rest}
    yield from (one for one in complaints if one in rest or _field(one) not in fields)


def _field(complaint: Any) -> Any:
    return next((part for part in complaint["loc"] if part != "body"), None)


def _asks_one(complaint: Any) -> bool:
    reason = REASONS.get(complaint["type"])
    return reason in ONE_VALUE and isinstance(complaint.get("input"), list)


def _place(loc: Sequence[Any], body: Any, kind: str) -> str:
    path, here = "", body
    parts = [part for part in loc if part not in ("body", "query", "path")]
    for index, part in enumerate(parts):
        inside = isinstance(here, dict) and part in here
        inside = inside or (isinstance(here, list) and isinstance(part, int) and part < len(here))
        if inside:
            here = here[part]
        elif not (kind == "missing" and index == len(parts) - 1) and body is not None:
            continue
        name = str(part)[:LONGEST_NAME]
        path += f"[{name}]" if isinstance(part, int) else f".{name}" if path else name
    return path or "body"


def _short(value: object) -> str:
    text = ""
    for fragment in _fragments(value):
        text += fragment
        if len(text) > LONGEST_VALUE:
            return f"{text[: LONGEST_VALUE - 1]}…"
    return text


def _fragments(value: object) -> Iterator[str]:
    """JSON in pieces, so that `_short` can stop before deep recursion."""
    if isinstance(value, str):
        yield json.dumps(value[: LONGEST_VALUE + 1], ensure_ascii=False)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield ", " if index else "["
            yield from _fragments(item)
        yield "]" if value else "[]"
    elif isinstance(value, dict):
        for index, (name, item) in enumerate(value.items()):
            yield ", " if index else "{"
            yield from _fragments(name)
            yield ": "
            yield from _fragments(item)
        yield "}" if value else "{}"
    else:
        yield json.dumps(value, default=repr)
