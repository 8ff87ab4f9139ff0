"""Errors at the edge: class → status, and the one body of RFC 9457 for all of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import orjson
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from app import errors
from app.errors import AttnscopeError


class HttpError(AttnscopeError):
    """What goes wrong before a question is read; `code` is given by each kind."""


class InvalidJson(HttpError):
    code = "invalid_json"


class MissingKey(HttpError):
    code = "missing_key"


class WrongKey(HttpError):
    code = "wrong_key"


class NotAcceptable(HttpError):
    code = "not_acceptable"


class UnsupportedMedia(HttpError):
    code = "unsupported_media"


class BodyTooLarge(HttpError):
    code = "body_too_large"


class RateLimited(HttpError):
    code = "rate_limited"


class MethodNotAllowed(HttpError):
    code = "method_not_allowed"


class InternalError(HttpError):
    code = "internal_error"


STATUS: dict[type[AttnscopeError], int] = {
    InvalidJson: 400,
    MissingKey: 401,
    WrongKey: 401,
    errors.Unknown: 404,
    MethodNotAllowed: 405,
    NotAcceptable: 406,
    BodyTooLarge: 413,
    errors.TooManyTokens: 413,
    errors.TooLarge: 413,
    UnsupportedMedia: 415,
    errors.InvalidRequest: 422,
    errors.BadWeightsFile: 422,
    errors.UnknownLayout: 422,
    errors.BadMapping: 422,
    RateLimited: 429,
    InternalError: 500,
    errors.Busy: 503,
    errors.StorageFull: 507,
}
CALLER_LEFT = 499  # for the counters: nobody receives it
MOST_PLACES = 20  # of a request's faults are told; mending those shows the others
RETRY_AFTER = {429: 1, 503: 2}  # seconds, where the error does not know better

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


def status_of(error: AttnscopeError) -> int:
    """The status of the nearest class in the tree."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def problem(
    request: Request, error: AttnscopeError, more: Sequence[AttnscopeError] = ()
) -> Response:
    """The body; `more` are further errors of the same kind, one a field."""
    catalogue, language = request.app.state.catalogue, language_of(request)

    def sentence(one: AttnscopeError) -> str:
        said = catalogue.say(language, f"errors.{one.code}.{one.reason}", _shown(one))
        return _sendable(said)

    status = status_of(error)
    each = more or ([error] if error.at else [])
    body = {
        "type": f"/problems/{error.code}",
        "title": catalogue.say(language, f"errors.{error.code}.title"),
        "status": status,
        "detail": sentence(error),
        "code": error.code,
        "errors": [{"at": _sendable(one.at or ""), "message": sentence(one)} for one in each],
        "request_id": request.scope.get("request_id", ""),
    }
    headers = {"Content-Language": language, "Cache-Control": "no-store"}
    if status in RETRY_AFTER:
        headers["Retry-After"] = str(error.values.get("seconds", RETRY_AFTER[status]))
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if _wants_page(request):
        told = {"title": body["title"], "detail": body["detail"]}
        page: Response = request.app.state.site.render(request, "error.html", status, **told)
        page.headers.update(headers)
        return page
    return Response(orjson.dumps(body), status, headers, "application/problem+json")


def _wants_page(request: Request) -> bool:
    """A person with a browser, outside the API."""
    in_api = request.url.path.startswith(("/api/", "/static/"))
    return not in_api and "text/html" in request.headers.get("accept", "")


def _shown(error: AttnscopeError) -> dict[str, object]:
    return {"at": error.at or "", **error.values}


def _sendable(text: str) -> str:
    """A lone surrogate of the request cannot be written as UTF-8: it is told as “?”."""
    return text.encode(errors="replace").decode()


def language_of(request: Request) -> str:
    """`?lang=` where the page says so, else Accept-Language."""
    catalogue = request.app.state.catalogue
    chosen = request.query_params.get("lang", "")
    if chosen in catalogue.languages:
        return chosen
    negotiated: str = catalogue.choose(request.headers.get("accept-language"))
    return negotiated


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
        found[at] = errors.InvalidRequest(reason, at=at, **{**values, "limit": limit})
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


def install(app: Any) -> None:
    """Every status of every route becomes a problem."""

    def ours(request: Request, error: Exception) -> Response:
        assert isinstance(error, AttnscopeError)
        return problem(request, error)

    def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError | ValidationError)
        found = from_validation(error, getattr(error, "body", None))
        return problem(request, found[0], found)

    def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        response = problem(request, _of_http(error, request))
        response.headers.update(error.headers or {})
        return response

    def gone(request: Request, error: Exception) -> Response:
        return Response(status_code=CALLER_LEFT)

    app.add_exception_handler(ClientDisconnect, gone)
    app.add_exception_handler(AttnscopeError, ours)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(ValidationError, invalid)
    app.add_exception_handler(HTTPException, http)


def _of_http(error: HTTPException, request: Request) -> AttnscopeError:
    status, path = error.status_code, request.url.path[:200]
    if status == 404:
        return errors.Unknown("no_page", path=path)
    if status == 405:
        return MethodNotAllowed("method", method=request.method, path=path)
    if status == 400 and ("Too many" in error.detail or "exceeded" in error.detail):
        return BodyTooLarge("form")
    if status == 400:
        return InvalidJson("form")
    return errors.InvalidRequest("invalid_value", at="body", given=str(status))
