"""Compression of replies, which hold no secrets (see SECURITY.md)."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import brotli
from isal import isal_zlib
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attnscope.web.http.accept_headers import parse_qualities

SMALLEST = 1024  # bytes; smaller replies fit into one packet
TEXTS = ("text/", "application/json", "application/problem+json", "image/svg+xml")
ARRAYS = ("application/x-safetensors", "application/x-npz", "application/octet-stream")
TRIED = 64 << 10  # bytes of arrays compressed as a trial
PAYS = 0.8  # arrays are compressed if the trial shrinks to this share
UNTOUCHED = (204, 206, 304)

BROTLI, GZIP = "br", "gzip"
CODINGS = (BROTLI, GZIP)  # best first
NAMES = {"x-gzip": GZIP}
# Brotli 1 beats gzip 3 on JSON; higher levels help arrays and pages only.
BROTLI_LEVEL, GZIP_LEVEL = 1, 3
BROTLI_LEVELS = {"text/html": 5, "application/x-safetensors": 2}
WINDOW = 18  # bits, so that a compressor takes less than 0.5 MB
GZIP_FORMAT = 31


class Compressor(Protocol):
    """`flush` returns the output so far, `finish` the rest."""

    def process(self, piece: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...
    def finish(self) -> bytes: ...


class Gzip:
    def __init__(self) -> None:
        writer = isal_zlib.compressobj(GZIP_LEVEL, isal_zlib.DEFLATED, GZIP_FORMAT)
        self.process, self.finish = writer.compress, writer.flush
        self.flush = partial(writer.flush, isal_zlib.Z_SYNC_FLUSH)


def compressor_of(coding: str, media: str) -> Compressor:
    if coding == GZIP:
        return Gzip()
    level = BROTLI_LEVELS.get(media, BROTLI_LEVEL)
    writer: Compressor = brotli.Compressor(quality=level, lgwin=WINDOW)
    return writer


def coding_of(accepted: str | None) -> str | None:
    """Choose by Accept-Encoding (RFC 9110, section 12.5.3). None means identity."""
    given: dict[str, float] = {}
    for name, quality in parse_qualities(accepted or ""):
        given.setdefault(NAMES.get(name, name), quality)
    other = given.get("*", 0.0)
    best = max(CODINGS, key=lambda coding: given.get(coding, other))
    quality = given.get(best, other)
    return best if quality > 0 and quality >= given.get("identity", 0.0) else None


def compressible(media: str) -> bool:
    """False for event streams, which compression would delay."""
    return media.startswith((*TEXTS, *ARRAYS)) and media != "text/event-stream"


class Compression:
    """Compresses in the event loop, at most 256 KB (1 ms) at a time."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        return await self.app(scope, receive, _Outgoing(send, scope))


class _Outgoing:
    """Buffers a reply until its coding is decided."""

    def __init__(self, send: Send, scope: Scope) -> None:
        self.send, self.scope = send, scope
        self.media = ""
        self.coding: str | None = None
        self.head: Message | None = None
        self.held = b""
        self.writer: Compressor | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and self._may_shrink(message):
            self.head = message
        elif message["type"] == "http.response.body" and (self.head or self.writer):
            await self._pack(message)
        else:
            await self.send(message)

    def _may_shrink(self, start: Message) -> bool:
        headers = MutableHeaders(scope=start)
        self.media = headers.get("content-type", "").partition(";")[0].strip().lower()
        free = start["status"] not in UNTOUCHED and "content-encoding" not in headers
        if not (free and compressible(self.media)):
            return False
        if "accept-encoding" not in headers.get("vary", "").lower():
            headers.add_vary_header("Accept-Encoding")
        self.coding = coding_of(Headers(scope=self.scope).get("accept-encoding"))
        return bool(self.coding) and int(headers.get("content-length", SMALLEST)) >= SMALLEST

    async def _pack(self, message: Message) -> None:
        body, more = self.held + message.get("body", b""), message.get("more_body", False)
        needed = TRIED if self.media in ARRAYS else SMALLEST
        if self.head and more and len(body) < needed:
            self.held = body
            return
        head, self.head, self.held = self.head, None, b""
        if head is not None:
            body = self._begun(head, body, more)
            await self.send(head)
        elif self.writer is not None:
            body = self.writer.process(body) + (b"" if more else self.writer.finish())
        if body or head or not more:
            await self.send({"type": "http.response.body", "body": body, "more_body": more})

    def _begun(self, head: Message, body: bytes, more: bool) -> bytes:
        if len(body) < SMALLEST or self.coding is None:
            return body
        arrays = self.media in ARRAYS
        writer = compressor_of(self.coding, self.media)
        packed = writer.process(body)
        if not more or arrays:
            packed += writer.flush() if more else writer.finish()
        if arrays and len(packed) > PAYS * len(body):
            return body
        self.writer = writer
        headers = MutableHeaders(scope=head)
        headers["Content-Encoding"] = self.coding
        del headers["Content-Length"]
        if not more:
            headers["Content-Length"] = str(len(packed))
        return packed
