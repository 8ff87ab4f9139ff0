from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress

from attnscope.errors import Busy, TooLarge
from attnscope.trace.plan import megabytes


class Supply:
    """A FIFO semaphore of bytes; `ahead` skips the queue. Not thread-safe."""

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
                self.give(size)  # granted during the cancellation
            else:
                with suppress(ValueError):  # give() may have removed it
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
        """Hold `size` bytes: shrink at once, or wait to grow. Raises TooLarge."""
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
