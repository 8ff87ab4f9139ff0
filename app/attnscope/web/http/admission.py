"""Admission control: queues, and memory that requests hold until the last byte."""

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

from attnscope.cancellation import cancel_when
from attnscope.errors import Busy
from attnscope.tokens.processes import shared
from attnscope.web.http.memory_budget import Lease, Supply

T = TypeVar("T")
SMALL_UPLOAD = 8 << 20  # bytes
MAX_DISK_JOBS = 1024


class Queue:
    def __init__(self, slots: int, queue: int) -> None:
        self.slots = Supply(slots)
        self.most = self.free = slots + queue

    def running(self) -> int:
        return self.slots.used

    def waiting(self) -> int:
        return self.most - self.free - self.running()


class Slot:
    def __init__(self, request: Request, pool: ThreadPoolExecutor, patience: float) -> None:
        self.lease: Lease = request.scope["lease"]
        self.disconnect = asyncio.ensure_future(wait_for_disconnect(request))
        self._pool = pool
        self._patience = patience

    async def hold(self, size: int, *, ahead: bool = False) -> None:
        """Hold `size` bytes in all; `ahead`: before waiting requests."""
        held = self.lease.held
        self.lease.check(size)
        # Fast path: no task is scheduled.
        if not self.lease.hold_free(size, ahead=ahead):
            await self.wait(self.lease.hold(size, ahead=ahead), lambda: self.lease.hold_now(held))

    async def wait(self, given: Coroutine[Any, Any, None], give_back: Callable[[], None]) -> None:
        """Raises Busy after `patience` seconds; ClientDisconnect."""
        turn, taken = asyncio.ensure_future(given), False
        both: set[asyncio.Future[Any]] = {turn, self.disconnect}
        try:
            await asyncio.wait(both, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
            if not turn.done():
                raise ClientDisconnect if self.disconnect.done() else Busy("no_slot")
            turn.result()
            taken = True
        finally:
            turn.cancel()
            if not taken and turn.done() and not turn.cancelled() and not turn.exception():
                give_back()  # granted as this task was cancelled

    async def work(self, work: Callable[[], T]) -> T:
        """Run in a thread; stop and raise ClientDisconnect if the client leaves."""
        left = Event()

        def stoppably() -> T:
            with cancel_when(left.is_set):
                try:
                    return work()
                except StopIteration as error:  # asyncio futures refuse this error
                    raise RuntimeError from error

        task = asyncio.get_running_loop().run_in_executor(self._pool, stoppably)
        # Read the exception, else asyncio logs it.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        both: set[asyncio.Future[Any]] = {task, self.disconnect}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            left.set()
        if not task.done():
            await asyncio.wait({task})  # it uses memory until it stops
            task.exception()
            raise ClientDisconnect
        return task.result()


class AdmissionQueue:
    def __init__(self, memory_bytes: int, slots: int, queue: int, patience: float) -> None:
        self.memory = Supply(memory_bytes)
        self.queues = {
            "large": Queue(slots, queue),
            "small": Queue(4, 256),
            "texts": Queue(2, queue),  # each tokenizes in a process
            "short_texts": Queue(4, 256),
            "uploads": Queue(1, queue),
            "small_uploads": Queue(4, 256),  # mostly wait for the disk
            "opening": Queue(4, 256),  # reads from disk
            "installs": Queue(4, 0),  # no queue: each takes minutes
        }
        self.patience = patience
        self.stopping = Event()
        threads = sum(queue.slots.limit for queue in self.queues.values())
        self._pool = ThreadPoolExecutor(threads, "admission")
        self._disk = ThreadPoolExecutor(1, "disk")
        self._disk_jobs = 0
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(
        self, request: Request, work: Callable[[], T], *, size: int = 0, queue: str = "large"
    ) -> T:
        async with self.place(request, size=size, queue=queue) as place:
            return await place.work(work)

    @asynccontextmanager
    async def place(
        self, request: Request, *, size: int = 0, queue: str = "large"
    ) -> AsyncIterator[Slot]:
        """Reserve a slot, and `size` bytes until the request ends.

        Raises Busy, TooLarge, ClientDisconnect.
        """
        wanted = self.queues[queue]
        if self.stopping.is_set():
            raise Busy("stopping")
        if wanted.free <= 0:
            raise Busy("no_slot")
        wanted.free -= 1
        place = Slot(request, self._pool, self.patience)
        try:
            place.lease.check(size)
            # Waiting requests must not hold bytes.
            if not wanted.slots.take_now(1):
                await place.wait(wanted.slots.take(1), lambda: wanted.slots.give(1))
            try:
                await place.hold(size)
                yield place
            finally:
                wanted.slots.give(1)
        finally:
            place.disconnect.cancel()
            wanted.free += 1

    @asynccontextmanager
    async def exclusive(self, key: str) -> AsyncIterator[None]:
        """One holder per key. Raises Busy after `patience` seconds."""
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

    async def run_on_disk_thread(self, work: Callable[[], T]) -> T:
        """Run in the disk thread. Raises Busy if too many calls wait."""
        if self._disk_jobs >= MAX_DISK_JOBS:
            raise Busy("no_slot")
        self._disk_jobs += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._disk, work)
        finally:
            self._disk_jobs -= 1

    def register_gauges(self, gauge: Callable[[str, str, Callable[[], float]], None]) -> None:
        gauge("attnscope_memory_bytes", "Held by requests", lambda: self.memory.used)
        gauge("attnscope_memory_limit_bytes", "Limit of held memory", lambda: self.memory.limit)
        for name, queue in self.queues.items():
            label = f"requests in queue {name}"
            gauge(f"attnscope_{name}_running", f"Running {label}", queue.running)
            gauge(f"attnscope_{name}_waiting", f"Waiting {label}", queue.waiting)

    def close(self) -> None:
        self.stopping.set()
        shared().close()
        for pool in (self._pool, self._disk):
            pool.shutdown(wait=False, cancel_futures=True)


def upload_queue(size: int) -> str:
    """Large uploads run one at a time, as they grow when parsed."""
    return "small_uploads" if size <= SMALL_UPLOAD else "uploads"


async def wait_for_disconnect(request: Request) -> None:
    """Wait for disconnection, after the body was read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
