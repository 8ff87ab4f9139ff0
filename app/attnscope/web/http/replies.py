from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from fastapi import Request, Response
from starlette.types import Receive, Scope, Send

from attnscope import __version__
from attnscope.web.http.accept_headers import language_of
from attnscope.web.http.admission import wait_for_disconnect

RELEASE = __version__  # in URLs and ETags: releases may round differently
SLICE = 1 << 18  # bytes per message
GRACE = 30.0  # seconds beyond the time at SLOWEST
SLOWEST = 1 << 18  # bytes per second that a client must read
FOR_EVER = "private, max-age=31536000, immutable"
AGAIN = "private, no-cache"  # caches must revalidate
VARY = "Accept, Accept-Language, Accept-Encoding"


@dataclass(frozen=True)
class Stream:
    """A body computed while it is sent, in a thread if `threaded`."""

    parts: Iterable[bytes]
    length: int | None = None
    threaded: bool = False

    def whole(self) -> bytes:
        return b"".join(self.parts)


Content = bytes | Stream


class SlicedResponse(Response):
    def __init__(
        self, content: Content, status: int, headers: Mapping[str, str], media: str,
        grace: float = GRACE,
    ) -> None:  # fmt: skip
        super().__init__(None, status, headers, media)
        self.content, self.grace = content, grace
        length = len(content) if isinstance(content, bytes) else content.length
        if length is None:
            del self.headers["content-length"]
        else:
            self.headers["content-length"] = str(length)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if isinstance(self.content, bytes) and len(self.content) <= SLICE:
            self.body = self.content
            return await super().__call__(scope, receive, send)
        return await self._sliced(Request(scope, receive), send)

    async def _sliced(self, request: Request, send: Send) -> None:
        leaving = asyncio.ensure_future(wait_for_disconnect(request))
        started, sent = asyncio.get_running_loop().time(), 0
        head = {"type": "http.response.start", "status": self.status_code}
        await send({**head, "headers": self.raw_headers})
        try:
            async for part in self._slices():
                if leaving.done():
                    return
                sent += len(part)
                async with asyncio.timeout_at(started + self.grace + sent / SLOWEST):
                    await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except TimeoutError:
            return
        finally:
            leaving.cancel()

    async def _slices(self) -> AsyncIterator[bytes]:
        content = self.content
        if isinstance(content, bytes):
            content = Stream([content])
        parts = iter(content.parts)
        while True:
            part = (
                await asyncio.to_thread(next, parts, None)
                if content.threaded
                else next(parts, None)
            )
            if part is None:
                return
            for start in range(0, len(part), SLICE):
                yield bytes(part[start : start + SLICE])


def join_small_parts(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Join parts below SLICE, as each message costs time."""
    few = bytearray()
    for part in parts:
        if few and len(few) + len(part) > SLICE:
            yield bytes(few)
            few.clear()
        if len(part) < SLICE:
            few += part
        else:
            yield part
    if few:
        yield bytes(few)


def reply(request: Request, content: Content, media: str, status: int = 200) -> Response:
    """Replies to GET have an ETag, and are immutable if `?release=` is this release."""
    if request.method == "POST":
        return SlicedResponse(content, status, {"Cache-Control": "no-store", "Vary": VARY}, media)
    kept = FOR_EVER if request.query_params.get("release") == RELEASE else AGAIN
    headers = {"ETag": tag_of(request, media), "Cache-Control": kept, "Vary": VARY}
    return SlicedResponse(content, status, headers, media)


def tag_of(request: Request, media: str) -> str:
    """Weak, since replies may be compressed (RFC 9110, section 8.8.1)."""
    query = sorted(parse_qsl(request.url.query, keep_blank_values=True))
    said = [request.url.path, urlencode(query), media, language_of(request), RELEASE]
    return weak_tag("\n".join(said).encode())


def weak_tag(content: bytes | memoryview) -> str:
    return f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'


def unchanged(request: Request, response: Response) -> Response:
    """Replace the reply by 304 if the client has it (RFC 9110, section 13.1.2)."""
    tag = response.headers.get("etag")
    if tag is None or response.status_code != 200 or not client_has(request, tag):
        return response
    kept = ("etag", "cache-control", "vary")
    return Response(None, 304, {name: response.headers[name] for name in kept})


def client_has(request: Request, tag: str) -> bool:
    held = [part.strip() for part in request.headers.get("if-none-match", "").split(",")]
    return "*" in held or tag.removeprefix("W/") in [one.removeprefix("W/") for one in held]
