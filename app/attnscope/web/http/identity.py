from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Iterable

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attnscope.errors import Busy
from attnscope.web.http.access_log import LogEntry
from attnscope.web.http.problems import InternalError, problem

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

        # A copy: the server must still see HEAD, and send no body.
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
            if started:
                raise  # closes the connection: a cut reply must not look complete
            reported = Busy("stopping") if cancelled else InternalError("unexpected")
            await problem(Request(scope), reported)(scope, receive, named)
        finally:
            entry.close(failure)


def _complete(headers: Iterable[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    """ASGI header names are in lower case."""
    own = [(name, value) for name, value in headers if name != b"x-request-id"]
    set_already = {name for name, _ in own}
    safe = [one for one in SAFE_AS_SENT if one[0] not in set_already]
    return [*own, (b"x-request-id", request_id.encode()), *safe]
