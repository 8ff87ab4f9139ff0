"""Calls an ASGI application in this process, faster than httpx's transport."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import quote, unquote, urlencode

import httpx2

from attnscope.cancellation import CALLER_CANCELS
from attnscope.client.calls import BASE, JSON, Call, Reply

Message = dict[str, Any]
App = Callable[[Message, Callable[..., Awaitable[Message]], Callable[..., Awaitable[None]]], Any]
Headers = list[tuple[bytes, bytes]]
SendMessage = Callable[[Message], None]
HOST = "localhost"


class Exchange:
    def __init__(self, body: bytes, send: SendMessage) -> None:
        self._body: bytes | None = body
        self._send = send
        self._over = asyncio.Event()
        self.started = False

    async def receive(self) -> Message:
        """Return the body; after the end of the reply, a disconnect."""
        if self._body is None:
            await self._over.wait()
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        self.started = True
        self._send(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self._over.set()


async def reply_to(app: App, call: Call) -> Reply:
    """Raises an exception of the application if no reply has started."""
    body, headers = _encoded(call)
    headers.append((b"accept", call.accept.encode()))
    path = quote(BASE + call.path, safe="/%")  # names in `call.path` are already quoted
    messages: list[Message] = []
    await call_app(
        app, call.method, f"{path}?{urlencode(call.query)}", headers, body, messages.append
    )
    start, *rest = messages
    received = {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in start["headers"]
    }
    return Reply(start["status"], received, b"".join(one.get("body", b"") for one in rest))


async def call_app(
    app: App, method: str, target: str, headers: Headers, body: bytes, send: SendMessage
) -> None:
    """Pass the reply's messages to `send`. `target`: path and query, percent-encoded."""
    path, _, query = target.partition("?")
    headers = [*headers, (b"host", HOST.encode()), (b"content-length", str(len(body)).encode())]
    scope: Message = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "scheme": "http", "path": unquote(path), "raw_path": path.encode(),
        "query_string": query.encode(), "root_path": "", "headers": headers,
        "server": (HOST, 80), "client": ("127.0.0.1", 1), "extensions": {CALLER_CANCELS: {}},
    }  # fmt: skip
    exchange = Exchange(body, send)
    try:
        await app(scope, exchange.receive, exchange.send)
    except Exception:
        if not exchange.started:  # else the reply says internal_error
            raise


def _encoded(call: Call) -> tuple[bytes, Headers]:
    if call.files:
        form = httpx2.Request(call.method, f"http://{HOST}", files=call.files, data=call.fields)
        return form.read(), [(b"content-type", form.headers["content-type"].encode())]
    if call.content is None:
        return b"", []
    return call.content, [(b"content-type", JSON.encode())]
