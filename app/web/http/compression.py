"""Replies that are compressed on their way out, where it pays.

Nothing secret stands in a reply beside what the caller sent (a session is in a cookie, a key comes
in a header), so that the length of a reply betrays nothing: see SECURITY.md.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.http.codings import Compressor, coding_of, compressor_of

SMALLEST = 1024  # bytes; what is smaller goes in one packet anyway
TEXTS = ("text/", "application/json", "application/problem+json", "image/svg+xml")
ARRAYS = ("application/x-safetensors", "application/x-npz", "application/octet-stream")
TRIED = 64 << 10  # bytes of arrays, by which the rest is judged
PAYS = 0.8  # of its length at most: numbers that nothing predicts do not shrink
UNTOUCHED = (204, 206, 304)


def compressible(media: str) -> bool:
    """Events go out as they come, not when there are enough of them."""
    return media.startswith((*TEXTS, *ARRAYS)) and media != "text/event-stream"


class Compression:
    """Compresses bodies piece by piece as they come: none is collected, and a piece (at most a
    slice of 256 KB) takes about a millisecond, less than handing it to a thread and back is worth.
    A body whose length is not known before goes without a Content-Length."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        return await self.app(scope, receive, _Outgoing(send, scope))


class _Outgoing:
    """The `send` of one reply: holds its beginning until it is known how it goes on."""

    def __init__(self, send: Send, scope: Scope) -> None:
        self.send = send
        self.scope = scope
        self.coding: str | None = None
        self.head: Message | None = None  # held back, and `held` with it
        self.held = b""
        self.media = ""
        self.writer: Compressor | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            await self._start(message)
        elif message["type"] != "http.response.body":
            await self.send(message)
        elif self.head is not None:
            await self._begin(message)
        elif self.writer is not None:
            await self._go_on(self.writer, message)
        else:
            await self.send(message)

    async def _start(self, message: Message) -> None:
        headers = MutableHeaders(scope=message)
        self.media = headers.get("content-type", "").partition(";")[0].strip().lower()
        free = message["status"] not in UNTOUCHED and "content-encoding" not in headers
        if not (free and compressible(self.media)):
            return await self.send(message)
        vary(headers)
        if int(headers.get("content-length", SMALLEST)) < SMALLEST:
            return await self.send(message)
        self.coding = coding_of(Headers(scope=self.scope).get("accept-encoding"))
        if self.coding is None:
            return await self.send(message)
        self.head = message
        return None

    async def _begin(self, message: Message) -> None:
        """Once enough of the body is there, decides and sends it."""
        self.held += message.get("body", b"")
        more = message.get("more_body", False)
        needed = TRIED if self.media in ARRAYS else SMALLEST
        if more and len(self.held) < needed:
            return
        head, self.head = self.head, None
        assert head is not None
        body, self.held = self.held, b""
        packed = self._packed(body, more) if len(body) >= SMALLEST else None
        if packed is not None and self.coding:
            body = packed
            headers = MutableHeaders(scope=head)
            headers["Content-Encoding"] = self.coding
            del headers["Content-Length"]
            if not more:
                headers["Content-Length"] = str(len(body))
        await self.send(head)
        await self.send({"type": "http.response.body", "body": body, "more_body": more})

    def _packed(self, body: bytes, more: bool) -> bytes | None:
        """The beginning of the reply, compressed; None where that does not pay. Texts always do."""
        writer = compressor_of(self.coding or "", self.media)
        packed = writer.add(body)
        if not more:
            packed += writer.finish()
        elif self.media in ARRAYS:
            packed += writer.flush()
        if self.media in ARRAYS and len(packed) > PAYS * len(body):
            return None
        self.writer = writer
        return packed

    async def _go_on(self, writer: Compressor, message: Message) -> None:
        body = writer.add(message.get("body", b""))
        more = message.get("more_body", False)
        if not more:
            body += writer.finish()
        if body or not more:
            await self.send({"type": "http.response.body", "body": body, "more_body": more})


def vary(headers: MutableHeaders) -> None:
    """Adds Accept-Encoding to what the reply varies by."""
    named = headers.get("vary", "")
    if "accept-encoding" not in named.lower():
        headers["Vary"] = f"{named}, Accept-Encoding" if named else "Accept-Encoding"
