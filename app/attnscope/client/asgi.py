"""One request to an ASGI application in this process.

httpx has a transport for this; around an application that does nothing it takes 0.4 ms, a third of
what a short answer takes, and this 0.02.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlencode

import httpx2

from attnscope.client.calls import BASE, JSON, Call, Reply

Message = dict[str, Any]
App = Callable[[Message, Callable[..., Awaitable[Message]], Callable[..., Awaitable[None]]], Any]
Headers = list[tuple[bytes, bytes]]
HOST = "localhost"


class Exchange:
    """A request that is sent at once, and the reply as it comes."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._over = asyncio.Event()
        self._parts: list[bytes] = []
        self._status = 0
        self._headers: Mapping[str, str] = {}

    async def receive(self) -> Message:
        """The body, then nothing until the reply is complete."""
        if self._body is None:
            await self._over.wait()
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        """Keeps what the application sends."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in message["headers"]
            }
        elif message["type"] == "http.response.body":
            self._parts.append(message.get("body", b""))
            if not message.get("more_body", False):
                self._over.set()

    def reply(self) -> Reply:
        return Reply(self._status, self._headers, b"".join(self._parts))


async def answered(app: App, call: Call) -> Reply:
    """The application's reply. Raises what escapes from the application before it replies."""
    body, headers = _encoded(call)
    path = BASE + call.path  # as it is sent: quoted
    headers += [(b"host", HOST.encode()), (b"accept", call.accept.encode()),
                (b"content-length", str(len(body)).encode())]  # fmt: skip
    scope: Message = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": call.method,
        "scheme": "http", "path": unquote(path), "raw_path": quote(path, safe="/%").encode(),
        "query_string": urlencode(call.query).encode(), "root_path": "", "headers": headers,
        "server": (HOST, 80), "client": ("127.0.0.1", 1),
    }  # fmt: skip
    exchange = Exchange(body)
    try:
        await app(scope, exchange.receive, exchange.send)
    except Exception:
        if not exchange.reply().status:  # else the reply says internal_error
            raise
    return exchange.reply()


def _encoded(call: Call) -> tuple[bytes, Headers]:
    """The body and the headers that describe it."""
    if call.files:
        form = httpx2.Request(call.method, f"http://{HOST}", files=call.files, data=call.fields)
        return form.read(), [(b"content-type", form.headers["content-type"].encode())]
    if call.content is None:
        return b"", []
    return call.content, [(b"content-type", JSON.encode())]
