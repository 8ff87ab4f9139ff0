"""Server-sent events of long work (WHATWG HTML, section 9.2).

Errors after the first byte become events `problem`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from threading import Lock
from typing import Any, Generic, TypeVar

import orjson
from fastapi import Request, Response
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from attnscope.errors import AttnscopeError, Busy
from attnscope.web.http.accept_headers import language_of
from attnscope.web.http.admission import Slot
from attnscope.web.http.negotiation import JSON, most_welcome
from attnscope.web.http.problems import body_of
from attnscope.web.http.replies import VARY, reply
from attnscope.web.http.requests import admission_of

T = TypeVar("T")
EVENTS = "text/event-stream"
PAUSE = 0.05  # seconds
HEARTBEAT = 5.0  # seconds
Progress = Mapping[str, Any]
Report = Callable[[Progress], None]


def wants_events(request: Request) -> bool:
    return most_welcome(request, (JSON, EVENTS), "accept_events") == EVENTS


async def with_progress(
    request: Request,
    work: Callable[[Report], T],
    written: Callable[[T], Awaitable[bytes]],
    *,
    size: int,
    queue: str = "large",
) -> Response:
    if wants_events(request):
        return EventStream(request, work, written, size, queue=queue)
    found = await admission_of(request).run(
        request, lambda: work(lambda news: None), size=size, queue=queue
    )
    return reply(request, await written(found), JSON)


class EventStream(Response, Generic[T]):
    """Runs work(report) in a queue; sends progress, then `written(result)`.

    `ahead`: progress of other requests, awaited first. If several reports are due, only the
    newest is sent; its field `joined` gets the values of all.
    """

    media_type = EVENTS

    def __init__(
        self,
        request: Request,
        work: Callable[[Report], T],
        written: Callable[[T], Awaitable[bytes]],
        size: int,
        ahead: AsyncGenerator[Progress | None, None] | None = None,
        queue: str = "large",
        joined: str = "",
        heartbeat: float = HEARTBEAT,
    ) -> None:
        # Otherwise nginx buffers the events.
        unbuffered = {"X-Accel-Buffering": "no"}
        super().__init__(None, 200, {"Cache-Control": "no-store", "Vary": VARY, **unbuffered})
        del self.headers["content-length"]
        self.request, self.work, self.written, self.size = request, work, written, size
        self.ahead, self.queue = ahead, queue
        self.joined, self.heartbeat = joined, heartbeat
        self.news: Progress | None = None
        self._reporting = Lock()
        self.opened, self.quiet = False, 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._watch(send)
            admission = admission_of(self.request)
            async with admission.place(self.request, size=self.size, queue=self.queue) as place:
                await self._open(send)
                last = event("reply", await self.written(await self._done(place, send)))
        except ClientDisconnect:
            if not self.opened:
                raise
            return
        except (AttnscopeError, asyncio.CancelledError) as error:
            if not self.opened:
                raise
            # CancelledError means that the server stops.
            reported = error if isinstance(error, AttnscopeError) else Busy("stopping")
            last = event("problem", orjson.dumps(self._problem(reported)))
        await send({"type": "http.response.body", "body": last})

    async def _open(self, send: Send) -> None:
        if not self.opened:
            self.opened = True
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})

    async def _watch(self, send: Send) -> None:
        """Send the progress of `ahead`, before this request takes a slot."""
        if self.ahead is None:
            return
        async with aclosing(self.ahead) as ahead:
            async for news in ahead:
                await self._open(send)
                await self._send_progress(send, news)

    async def _send_progress(self, send: Send, news: Progress | None) -> None:
        self.quiet = 0.0 if news else self.quiet + PAUSE
        if news:
            await _send(send, event("progress", orjson.dumps(news)))
        elif self.quiet >= self.heartbeat:
            self.quiet = 0.0
            await _send(send, b": heartbeat\n\n")

    async def _done(self, place: Slot, send: Send) -> T:
        working = asyncio.ensure_future(place.work(lambda: self.work(self._report)))
        try:
            while not (await asyncio.wait({working}, timeout=PAUSE))[0]:
                with self._reporting:
                    news, self.news = self.news, None
                await self._send_progress(send, news)
        finally:
            working.cancel()
        return await working

    def _report(self, news: Progress) -> None:
        with self._reporting:
            if self.joined and self.news:
                news = {**news, self.joined: [*self.news[self.joined], *news[self.joined]]}
            self.news = news

    def _problem(self, error: AttnscopeError) -> dict[str, object]:
        scope, catalogue = self.request.scope, self.request.app.state.catalogue
        return body_of(catalogue, language_of(self.request), error, scope.get("request_id", ""))


def event(name: str, data: bytes) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), data)


async def _send(send: Send, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})
