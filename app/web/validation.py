"""pydantic's complaints about a request, told as errors of our own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from app.errors import AttnscopeError, InvalidRequest

MOST_PLACES = 20  # of a request's faults are told; mending those shows the others

# pydantic's error types → our sentences (errors.invalid_request.<reason>)
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
    "finite_number": "not_finite",
    "string_type": "not_a_text",
    "int_type": "not_an_integer",
    "int_parsing": "not_an_integer",
    "int_from_float": "not_an_integer",
    "float_type": "not_a_number",
    "bool_type": "not_true_or_false",
    "list_type": "not_a_list",
    "model_type": "not_an_object",
    "model_attributes_type": "not_an_object",
    "dict_type": "not_an_object",
}


def from_validation(
    error: RequestValidationError | ValidationError, body: Any
) -> list[AttnscopeError]:
    """pydantic's complaints as ours, one a place."""
    found: dict[str, AttnscopeError] = {}
    for one in error.errors()[:MOST_PLACES]:
        at = _place(one["loc"], body, one["type"])
        reason = REASONS.get(one["type"], "invalid_value")
        values = {**one.get("ctx", {}), "given": _short(one.get("input"))}
        if reason == "no_source" and values["discriminator"] == "'kind'":
            reason = "no_kind"
        values.pop("error", None)
        if reason == "not_a_choice":
            values["expected"] = values.get("expected") or values.get("expected_tags")
        if at in found and reason in ("not_a_list", "not_a_choice"):
            continue
        limit = next((values[name] for name in ("gt", "ge", "le") if name in values), None)
        found[at] = InvalidRequest(reason, at=at, **{**values, "limit": limit})
    return list(found.values())


def _place(loc: Sequence[Any], body: Any, kind: str) -> str:
    """`model.seed`, `blocked[0]`: the parts of pydantic's path that are in the request."""
    path, here = "", body
    parts = [part for part in loc if part not in ("body", "query", "path")]
    for index, part in enumerate(parts):
        inside = isinstance(here, dict) and part in here
        inside = inside or (isinstance(here, list) and isinstance(part, int) and part < len(here))
        if inside:
            here = here[part]
        elif not (kind == "missing" and index == len(parts) - 1) and body is not None:
            continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path or "body"


def _short(value: object) -> str:
    """A value of the request as JSON, as it came."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except RecursionError:
        text = "…"
    return text if len(text) <= 40 else f"{text[:39]}…"
