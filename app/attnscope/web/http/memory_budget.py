from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress

from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attnscope.errors import Busy, TooLarge
from attnscope.settings import Settings
from attnscope.trace.plan import megabytes
from attnscope.web.http.problems import BodyTooLarge, SlowRequest, problem


class Supply:
    """A FIFO semaphore of bytes or slots; `ahead` goes first. Not thread-safe."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    def take_now(self, size: int, *, ahead: bool = False) -> bool:
        free = (ahead or not self._waiting) and self.used + size <= self.limit
        self.used += size if free else 0
        return free

    async def take(self, size: int, *, ahead: bool = False) -> None:
        """`size` must not exceed `limit`."""
        if self.take_now(size, ahead=ahead):
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        enqueue = self._waiting.appendleft if ahead else self._waiting.append
        enqueue((size, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give(size)  # granted while the task was cancelled
            else:
                with suppress(ValueError):  # give() may have removed the entry
                    self._waiting.remove((size, turn))
                self.give(0)  # smaller requests may fit now
            raise

    def give(self, size: int) -> None:
        self.used -= size
        while self._waiting and self.used + self._waiting[0][0] <= self.limit:
            size, turn = self._waiting.popleft()
            if not turn.cancelled():
                self.used += size
                turn.set_result(None)


class Lease:
    def __init__(self, memory: Supply) -> None:
        self.memory = memory
        self.held = 0

    def check(self, size: int) -> None:
        if size > self.memory.limit:
            limit = megabytes(self.memory.limit)
            raise TooLarge("memory", estimate=megabytes(size), limit=limit)

    async def hold(self, size: int, *, ahead: bool = False) -> None:
        """Hold `size` bytes in all; wait if that is more. Raises TooLarge."""
        self.check(size)
        if not self.hold_free(size, ahead=ahead):
            await self.memory.take(size - self.held, ahead=ahead)
            self.held = size

    def hold_free(self, size: int, *, ahead: bool = False) -> bool:
        """Like `hold`, but return False instead of waiting."""
        if size > self.held and not self.memory.take_now(size - self.held, ahead=ahead):
            return False
        if size < self.held:
            self.memory.give(self.held - size)
        self.held = size
        return True

    def hold_now(self, size: int) -> None:
        """Like `hold`, but raise Busy instead of waiting."""
        if not self.hold_free(size):
            raise Busy("no_memory")


FREE = 1 << 16  # bytes of a body that need no lease
SLOWEST = 1 << 16  # bytes per second that a client must send
UPLOADS = 4  # concurrent uploads of the largest size
OF_FILES = ("/api/v1/models", "/api/v1/captures")


class Bodies:
    """Refuses large or slow bodies, and gives each request a memory lease."""

    def __init__(self, app: ASGIApp, settings: Settings, memory: Supply) -> None:
        self.app = app
        self.body, self.upload = settings.max_body_mb << 20, settings.max_upload_mb << 20
        self.grace = settings.body_seconds
        self.memory = memory
        self.spooled = Supply(UPLOADS * self.upload)  # on disk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        upload = scope["path"] in OF_FILES
        limit = self.upload if upload else self.body
        request = Request(scope, receive)
        length = request.headers.get("content-length", "")
        if length.isdecimal() and int(length[:18]) > limit:
            return await problem(request, too_large(limit, upload))(scope, receive, send)
        lease = scope["lease"] = Lease(self.memory)
        room = Lease(self.spooled) if upload else lease
        body = Body(receive, room, self.grace, limit, upload)
        try:
            await self.app(scope, body.receive, send)
        finally:
            lease.hold_now(0)
            room.hold_now(0)


def too_large(limit: int, upload: bool) -> BodyTooLarge:
    return BodyTooLarge("upload" if upload else "body", limit=limit >> 20)


class Body:
    def __init__(
        self, receive: Receive, room: Lease, grace: float, limit: int, upload: bool
    ) -> None:
        self._receive, self._room = receive, room
        self._grace, self._limit, self._upload = grace, limit, upload
        self._seen = 0
        self._whole = False
        self._began = asyncio.get_running_loop().time()

    async def receive(self) -> Message:
        """Raises BodyTooLarge, SlowRequest, or Busy if memory is short."""
        if self._whole:
            return await self._receive()  # the client's disconnection
        try:
            async with asyncio.timeout_at(self._began + self._grace + self._seen / SLOWEST):
                message = await self._receive()
        except TimeoutError:
            raise SlowRequest("body", seconds=round(self._grace)) from None
        self._seen += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._seen > self._limit:
            raise too_large(self._limit, self._upload)
        if self._seen > FREE:
            self._room.hold_now(self._seen)
        return message
