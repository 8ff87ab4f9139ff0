from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Iterable
from typing import Protocol

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attnscope.cancellation import CALLER_CANCELS
from attnscope.errors import Busy
from attnscope.web.http.addresses import client_of
from attnscope.web.http.metrics import Metrics
from attnscope.web.http.problems import CALLER_LEFT, InternalError, problem

log = logging.getLogger("attnscope.request")
API = "/api/v1"
METHODS = ("GET", "HEAD", "POST", "DELETE", "OPTIONS")


def route_of(scope: Scope) -> str:
    pattern = getattr(scope.get("route"), "path", None)
    if pattern is None:
        return "other"
    # FastAPI stores a router's routes without their prefix.
    prefix = API if scope["path"].startswith(f"{API}/") else ""
    return prefix + str(pattern).removeprefix(prefix)


class Flights(Protocol):
    """Log of open requests, in case a worker is killed."""

    def begin(self, request_id: str, method: str) -> int: ...

    def end(self, note: int) -> None: ...


class LogEntry:
    """Logs neither address, text nor key."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        method = scope.get("asked", scope["method"])
        self.method = method if method in METHODS else "other"
        self.status = CALLER_LEFT
        self.size = 0
        self.began = time.perf_counter()
        self.flights: Flights | None = scope["app"].state.flights
        self.metrics: Metrics = scope["app"].state.metrics
        self.note = self.flights.begin(scope["request_id"], self.method) if self.flights else -1

    def sent(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif self.method != "HEAD":
            self.size += len(message.get("body", b""))

    def close(self, error: BaseException | None = None) -> None:
        if self.flights:
            self.flights.end(self.note)
        route, seconds = route_of(self.scope), time.perf_counter() - self.began
        self.metrics.answered(self.method, route, self.status, seconds)
        level = logging.ERROR if error else logging.WARNING if self.status >= 500 else logging.INFO
        if not log.isEnabledFor(level):
            return
        fields = {
            "id": self.scope["request_id"],
            "method": self.method,
            "route": route,
            "status": self.status,
            "ms": round(seconds * 1e3, 1),
            "bytes": self.size,
            "client": client_of(self.scope),
        }
        if "problem" in self.scope:
            fields["problem"] = self.scope["problem"]
        log.log(level, "request", exc_info=error, extra={"fields": fields})


POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
)
SAFE = {
    "Content-Security-Policy": f"{POLICY}frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SAFE_AS_SENT = [(name.lower().encode(), value.encode()) for name, value in SAFE.items()]
REQUEST_ID = re.compile(r"[\w.\-]{1,64}", re.ASCII)


class Head:
    """HEAD is GET without the body (RFC 9110, section 9.3.2)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            return await self.app(scope, receive, send)

        async def bodiless(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        # A copy, so that the server still sees HEAD.
        return await self.app({**scope, "method": "GET", "asked": "HEAD"}, receive, bodiless)


class Identity:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if REQUEST_ID.fullmatch(given) else secrets.token_hex(16)
        scope["request_id"] = request_id
        entry, started = LogEntry(scope), False
        failure: BaseException | None = None

        async def named(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message = {**message, "headers": _complete(message.get("headers", ()), request_id)}
            entry.sent(message)
            await send(message)

        try:
            await self.app(scope, receive, named)
        except (Exception, asyncio.CancelledError) as error:
            cancelled = isinstance(error, asyncio.CancelledError)
            failure = None if cancelled else error
            if started or (cancelled and CALLER_CANCELS in scope.get("extensions", ())):
                raise  # a cut reply must not look complete
            reported = Busy("stopping") if cancelled else InternalError("unexpected")
            await problem(Request(scope), reported)(scope, receive, named)
        finally:
            entry.close(failure)


def _complete(headers: Iterable[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    """Add the request id and missing SAFE headers."""
    own = [(name, value) for name, value in headers if name != b"x-request-id"]
    set_already = {name for name, _ in own}
    safe = [one for one in SAFE_AS_SENT if one[0] not in set_already]
    return [*own, (b"x-request-id", request_id.encode()), *safe]
