from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Match, Mount

from attnscope import errors
from attnscope.analysis.schema import described, doc, optional_field
from attnscope.errors import AttnscopeError
from attnscope.web.http.accept_headers import language_of
from attnscope.web.http.validation import from_validation
from attnscope.web.texts import Catalogue


class HttpError(AttnscopeError):
    """Subclasses set `code`."""


class InvalidJson(HttpError):
    code = "invalid_json"


class MissingKey(HttpError):
    code = "missing_key"


class WrongKey(HttpError):
    code = "wrong_key"


class CrossSite(HttpError):
    code = "cross_site"


class NotEnabled(HttpError):
    code = "not_enabled"


class UnknownHost(HttpError):
    code = "unknown_host"


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


class SlowRequest(HttpError):
    code = "slow_request"


class HeadersTooLarge(HttpError):
    code = "headers_too_large"


class NotHttp(HttpError):
    code = "invalid_request"


class BadQuery(HttpError):
    """`without`: the URL without the wrong parameters."""

    code = "invalid_request"
    faults: Sequence[AttnscopeError] = ()
    without: str | None = None

    @classmethod
    def of(cls, faults: Sequence[AttnscopeError], without: str) -> BadQuery:
        first = faults[0]
        error = cls(first.reason, at=first.at, **first.values)
        error.faults, error.without = faults, without
        return error


class InternalError(HttpError):
    code = "internal_error"


STATUS: dict[type[AttnscopeError], int] = {
    InvalidJson: 400,
    BadQuery: 422,
    NotHttp: 400,
    MissingKey: 401,
    WrongKey: 401,
    CrossSite: 403,
    NotEnabled: 403,
    errors.Unknown: 404,
    MethodNotAllowed: 405,
    NotAcceptable: 406,
    SlowRequest: 408,
    errors.ModelChanged: 409,
    errors.NameTaken: 409,
    BodyTooLarge: 413,
    errors.TooManyTokens: 413,
    errors.TooLarge: 413,
    UnsupportedMedia: 415,
    UnknownHost: 421,
    errors.InvalidRequest: 422,
    errors.NoPredictions: 422,
    errors.NotCaptured: 422,
    errors.BadWeightsFile: 422,
    errors.UnknownLayout: 422,
    errors.BadMapping: 422,
    RateLimited: 429,
    HeadersTooLarge: 431,
    InternalError: 500,
    errors.FetchFailed: 502,
    errors.Busy: 503,
    errors.StorageFull: 507,
}
PROBLEM = "application/problem+json"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
CALLER_LEFT = 499  # only for metrics; never sent
RETRY_AFTER = {429: 1, 503: 2}  # seconds


@described
class FieldProblem:
    """One place in the request."""

    at: str = doc("Path, such as model.w_k.")
    message: str = doc("In the reader's language.")
    end: int | None = optional_field("Where to cut a text that is too long, in characters.")
    accept: list[str] | None = optional_field(
        "Keys of a config that `accept` may name, to open the upload."
    )


@described
class Problem:
    """The body of every error reply (RFC 9457)."""

    type: str = doc("/problems/<code>")
    title: str = doc("What kind of problem.")
    status: int = doc("The HTTP status of the reply.")
    detail: str = doc("What is wrong here, and what to do.")
    code: str = doc("For programs; never changes.")
    errors: list[FieldProblem] = doc("One for each place in the request.")
    request_id: str = doc("Also in the X-Request-ID header.")


def status_of(error: AttnscopeError) -> int:
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def body_of(
    catalogue: Catalogue,
    language: str,
    error: AttnscopeError,
    request_id: str,
    more: Sequence[AttnscopeError] = (),
) -> dict[str, object]:
    """`more`: all errors, if there are several."""
    each = more or ([error] if error.at else [])
    return {
        "type": f"/problems/{error.code}",
        "title": catalogue.say(language, f"errors.{error.code}.title"),
        "status": status_of(error),
        "detail": sentence(catalogue, language, error),
        "code": error.code,
        "errors": [_field_problem(catalogue, language, one) for one in each],
        "request_id": request_id,
    }


def sentence(catalogue: Catalogue, language: str, error: AttnscopeError) -> str:
    values = {"at": error.at or "", **error.values}
    return _sendable(catalogue.say(language, f"errors.{error.code}.{error.reason}", values))


def _field_problem(catalogue: Catalogue, language: str, error: AttnscopeError) -> dict[str, object]:
    message = sentence(catalogue, language, error)
    found: dict[str, object] = {"at": _sendable(error.at or ""), "message": message}
    if (end := error.values.get("end")) is not None:
        found["end"] = end
    if isinstance(accept := error.values.get("accept"), list):
        found["accept"] = [_sendable(key) for key in accept]
    return found


def headers_of(language: str, error: AttnscopeError) -> dict[str, str]:
    status = status_of(error)
    headers = {"Content-Language": language, "Cache-Control": "no-store"}
    if status in RETRY_AFTER:
        headers["Retry-After"] = str(error.values.get("seconds", RETRY_AFTER[status]))
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return headers


def problem(
    request: Request, error: AttnscopeError, more: Sequence[AttnscopeError] = ()
) -> Response:
    catalogue, language = request.app.state.catalogue, language_of(request)
    request.scope["problem"] = f"{error.code}.{error.reason}"
    request_id = request.scope.get("request_id", "")
    body = body_of(catalogue, language, error, request_id, more)
    status, headers = status_of(error), headers_of(language, error)
    if wants_page(request):
        without = error.without if isinstance(error, BadQuery) else None
        values = {"title": body["title"], "detail": body["detail"], "without": without}
        page: Response = request.app.state.site.render(request, "error.html", status, **values)
        page.headers.update(headers)
        return page
    return Response(orjson.dumps(body), status, headers, PROBLEM)


def wants_page(request: Request) -> bool:
    """Whether a client accepts HTML, outside the API."""
    in_api = request.url.path.startswith(("/api/", "/static/"))
    return not in_api and "text/html" in request.headers.get("accept", "")


def _sendable(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode."""
    return text.encode(errors="replace").decode()


def install(app: Any) -> None:
    def ours(request: Request, error: AttnscopeError) -> Response:
        return problem(request, error, error.faults if isinstance(error, BadQuery) else ())

    def invalid(request: Request, error: RequestValidationError | ValidationError) -> Response:
        found = from_validation(error, getattr(error, "body", None))
        return problem(request, found[0], found)

    def http(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = allowed(request) or headers.get("Allow", "")
            if request.method == "OPTIONS":
                return Response(None, 204, headers)
        response = problem(request, _of_http(error, request))
        response.headers.update(headers)
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
    if status == 400:
        return InvalidJson("form")
    return errors.InvalidRequest("invalid_value", at="body", given=str(status))


def allowed(request: Request) -> str:
    """The Allow header (RFC 9110, section 10.2.1)."""
    routes = [route for route in request.app.routes if not isinstance(route, Mount)]

    def fits(method: str) -> bool:
        scope = {**request.scope, "method": method}
        return any(route.matches(scope)[0] is Match.FULL for route in routes)

    found = [method for method in METHODS if fits(method)]
    if "GET" in found:
        found.insert(1, "HEAD")
    return ", ".join([*found, "OPTIONS"] if found else [])
