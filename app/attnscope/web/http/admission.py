"""Who may work now: one budget of bytes for all that requests hold, and lanes of slots.

A request states its bytes before it takes them and holds them until its last byte is sent
(`Lease`); work in threads waits for bytes and a slot of its lane (`Desk.run`). What finds no room
in the queue, or waits too long, is Busy; a caller that leaves frees its place at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from threading import Event
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from fastapi import Request
from starlette.requests import ClientDisconnect

from attnscope.errors import Busy
from attnscope.stopping import stoppable
from attnscope.tokens.processes import shared
from attnscope.web.http.memory_budget import Lease, Supply

T = TypeVar("T")
SMALL_SLOTS, SMALL_QUEUE = 4, 256  # of works that take milliseconds
OPENING_SLOTS = 4  # of uploads read from the disk: a tokenizer is opened in a process meanwhile
SMALL_UPLOAD = 8 << 20  # bytes of files that need not come in one after the other
SMALL_UPLOAD_SLOTS = 4  # each waits for the disk several times
TEXT_SLOTS = 2  # of long texts, each cut in a process
SHORT_TEXT_SLOTS = 4  # they mostly wait for a process, so others that compute hold none up
INSTALLS = 4  # models that are installed at once; no more wait, for each takes minutes
MOST_ASIDE = 1024


class Lane:
    """So many works at once, so many waiting, and no more."""

    def __init__(self, slots: int, queue: int) -> None:
        self.slots = Supply(slots)
        self.most = self.room = slots + queue

    def running(self) -> int:
        return self.slots.used

    def waiting(self) -> int:
        """For bytes or for a slot."""
        return self.most - self.room - self.running()


class Place:
    """Where one request's work is done, as long as its caller stays."""

    def __init__(self, request: Request, pool: ThreadPoolExecutor, patience: float) -> None:
        self.lease: Lease = request.scope["lease"]
        self.leaving = asyncio.ensure_future(departure(request))
        self._pool = pool
        self._patience = patience

    async def hold(self, size: int, *, ahead: bool = False) -> None:
        """Waits until the request may hold so many bytes, `ahead` of others that wait for some."""
        held = self.lease.held
        self.lease.check(size)
        # Several turns of the event loop, each as long as all other answers in it, are saved.
        if not self.lease.hold_free(size, ahead=ahead):
            await self.wait(self.lease.hold(size, ahead=ahead), lambda: self.lease.hold_now(held))

    async def wait(self, given: Coroutine[Any, Any, None], give_back: Callable[[], None]) -> None:
        """Waits for what is given in turn: not for ever, and not for somebody who left."""
        turn, taken = asyncio.ensure_future(given), False
        both: set[asyncio.Future[Any]] = {turn, self.leaving}
        try:
            await asyncio.wait(both, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
            if not turn.done():
                raise ClientDisconnect if self.leaving.done() else Busy("no_slot")
            turn.result()
            taken = True
        finally:
            turn.cancel()
            if not taken and turn.done() and not turn.cancelled() and not turn.exception():
                give_back()  # it came in the moment of giving up

    async def work(self, work: Callable[[], T]) -> T:
        """work() in a thread. Raises ClientDisconnect once the thread of a caller who left ends."""
        left = Event()

        def stoppably() -> T:
            with stoppable(left.is_set):
                try:
                    return work()
                except StopIteration as error:  # which no future of asyncio takes
                    raise RuntimeError from error

        task = asyncio.get_running_loop().run_in_executor(self._pool, stoppably)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody may ask
        both: set[asyncio.Future[Any]] = {task, self.leaving}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            left.set()
        if not task.done():
            await asyncio.wait({task})  # what it has taken is in use until it ends
            task.exception()
            raise ClientDisconnect
        return task.result()


class AdmissionQueue:
    """Admits work and runs it in threads: `large` computations, `small` ones that take a while,
    long `texts` and `short_texts`, `uploads` that come in and `small_uploads`, the `opening` of
    those on the disk, and `installs` of models, each in a lane of its own."""

    def __init__(self, memory_bytes: int, slots: int, queue: int, patience: float) -> None:
        self.memory = Supply(memory_bytes)
        self.lanes = {"large": Lane(slots, queue), "small": Lane(SMALL_SLOTS, SMALL_QUEUE)}
        self.lanes["texts"] = Lane(TEXT_SLOTS, queue)
        self.lanes["short_texts"] = Lane(SHORT_TEXT_SLOTS, SMALL_QUEUE)
        self.lanes["uploads"] = Lane(1, queue)
        self.lanes["small_uploads"] = Lane(SMALL_UPLOAD_SLOTS, SMALL_QUEUE)
        self.lanes["opening"] = Lane(OPENING_SLOTS, SMALL_QUEUE)
        self.lanes["installs"] = Lane(INSTALLS, 0)
        self.patience = patience
        self.stopping = Event()
        threads = sum(lane.slots.limit for lane in self.lanes.values())
        self._pool = ThreadPoolExecutor(threads, "admission")
        self._disk = ThreadPoolExecutor(1, "disk")
        self._asides = 0
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(
        self, request: Request, work: Callable[[], T], *, size: int = 0, lane: str = "large"
    ) -> T:
        """work() in a thread, with `size` bytes held until the request ends; see `place`."""
        async with self.place(request, size=size, lane=lane) as place:
            return await place.work(work)

    @asynccontextmanager
    async def place(
        self, request: Request, *, size: int = 0, lane: str = "large"
    ) -> AsyncIterator[Place]:
        """A slot of a lane, and `size` bytes that are held until the request ends.

        Raises Busy, TooLarge where the bytes can never be had, and ClientDisconnect where the
        caller leaves; then its place is free as soon as the work asks whether to go on.
        """
        wanted = self.lanes[lane]
        if self.stopping.is_set():
            raise Busy("stopping")
        if wanted.room <= 0:
            raise Busy("no_slot")
        wanted.room -= 1
        place = Place(request, self._pool, self.patience)
        try:
            place.lease.check(size)
            # Who waits for a slot holds no bytes, or a queue of large answers would take them all.
            if not wanted.slots.take_now(1):
                await place.wait(wanted.slots.take(1), lambda: wanted.slots.give(1))
            try:
                await place.hold(size)
                yield place
            finally:
                wanted.slots.give(1)
        finally:
            place.leaving.cancel()
            wanted.room += 1

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Work with the same key is done one after the other. Raises Busy where that takes long."""
        lock = self._locks.setdefault(key, asyncio.Lock())
        try:
            async with asyncio.timeout(self.patience):
                await lock.acquire()
        except TimeoutError:
            raise Busy("no_slot") from None
        try:
            yield
        finally:
            lock.release()

    async def aside(self, work: Callable[[], T]) -> T:
        """work(), which asks the disk, in the thread of its own; raises Busy where many wait."""
        if self._asides >= MOST_ASIDE:
            raise Busy("no_slot")
        self._asides += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._disk, work)
        finally:
            self._asides -= 1

    def tell(self, gauge: Callable[[str, str, Callable[[], float]], None]) -> None:
        """Shows what is taken and who waits: gauge(name, help, read)."""
        gauge("attnscope_memory_bytes", "Held by requests", lambda: self.memory.used)
        gauge("attnscope_memory_limit_bytes", "What they may hold", lambda: self.memory.limit)
        for name, lane in self.lanes.items():
            told = f"Works in the lane {name}"
            gauge(f"attnscope_{name}_running", f"{told} that run", lane.running)
            gauge(f"attnscope_{name}_waiting", f"{told} that wait", lane.waiting)

    def close(self) -> None:
        """Nothing new; what runs is not waited for, and no text is cut any further."""
        self.stopping.set()
        shared().close()
        for pool in (self._pool, self._disk):
            pool.shutdown(wait=False, cancel_futures=True)


def upload_lane(size: int) -> str:
    """Where files of so many bytes come in: large ones take turns, for each grows while it is read,
    and small ones do not wait for these."""
    return "small_uploads" if size <= SMALL_UPLOAD else "uploads"


async def departure(request: Request) -> None:
    """Returns when the caller has left; the body was read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
