"""What there is so much of and no more: bytes, slots; and what one request holds of it."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress

from attnscope.errors import Busy, TooLarge

MIB = 1 << 20


class Supply:
    """So many of a thing (bytes, slots) for all who want some; first come, first served, but for
    who goes `ahead` of those that wait.

    Asked from the event loop alone, so it needs no lock.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    def take_now(self, size: int, *, ahead: bool = False) -> bool:
        """Whether so many were free; then they are taken."""
        free = (ahead or not self._waiting) and self.used + size <= self.limit
        self.used += size if free else 0
        return free

    async def take(self, size: int, *, ahead: bool = False) -> None:
        """Waits for its turn; `size` is at most the limit."""
        if self.take_now(size, ahead=ahead):
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        enqueue = self._waiting.appendleft if ahead else self._waiting.append
        enqueue((size, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give(size)  # granted in the moment of leaving
            else:
                with suppress(ValueError):  # passed over by give() since it was cancelled
                    self._waiting.remove((size, turn))
                self.give(0)  # whoever waits behind may fit
            raise

    def give(self, size: int) -> None:
        """Gives some back, and turns to those who wait."""
        self.used -= size
        while self._waiting and self.used + self._waiting[0][0] <= self.limit:
            size, turn = self._waiting.popleft()
            if not turn.cancelled():
                self.used += size
                turn.set_result(None)


class Lease:
    """The bytes one request holds; whoever made it gives them back at the request's end."""

    def __init__(self, memory: Supply) -> None:
        self.memory = memory
        self.held = 0

    def check(self, size: int) -> None:
        """Raises TooLarge for more bytes than there can ever be."""
        if size > self.memory.limit:
            sizes = {"estimate": size, "limit": self.memory.limit}
            raise TooLarge("memory", **{k: f"{v / MIB:,.0f} MB" for k, v in sizes.items()})

    async def hold(self, size: int, *, ahead: bool = False) -> None:
        """Holds just so many bytes: fewer at once, more when they are free.

        Raises TooLarge for more than there can ever be.
        """
        self.check(size)
        if not self.hold_free(size, ahead=ahead):
            await self.memory.take(size - self.held, ahead=ahead)
            self.held = size

    def hold_free(self, size: int, *, ahead: bool = False) -> bool:
        """Whether so many are free, or fewer than it holds are enough; then it holds them."""
        if size > self.held and not self.memory.take_now(size - self.held, ahead=ahead):
            return False
        if size < self.held:
            self.memory.give(self.held - size)
        self.held = size
        return True

    def hold_now(self, size: int) -> None:
        """The same without waiting; raises Busy where they are not free."""
        if not self.hold_free(size):
            raise Busy("no_memory")
