"""Bytes and slots are given in turn, never beyond their limit, and come back however work ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from fastapi import Request
from starlette.requests import ClientDisconnect

from attnscope import cancellation
from attnscope.errors import Busy, TooLarge
from attnscope.web.http.admission import AdmissionQueue, Queue
from attnscope.web.http.memory_budget import Lease, Supply
from tests.web.client import run_async

Scene = Callable[[], Awaitable[Any]]


class Caller:
    """Somebody who has sent a request and may leave."""

    def __init__(self, desk: AdmissionQueue) -> None:
        self.gone = asyncio.Event()
        self.request = Request(
            {"type": "http", "method": "GET", "path": "/", "headers": []}, self._receive
        )
        self.lease = self.request.scope["lease"] = Lease(desk.memory)

    async def _receive(self) -> dict[str, str]:
        await self.gone.wait()
        return {"type": "http.disconnect"}


def desk(slots: int = 1, queue: int = 8, memory: int = 100, patience: float = 20) -> AdmissionQueue:
    return AdmissionQueue(memory, slots, queue, patience)


def play(scene: Scene) -> Any:
    async def all_of_it() -> Any:
        return await scene()

    return run_async(all_of_it())


async def until(happens: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not happens():
            await asyncio.sleep(0.002)


def test_what_is_given_back_goes_to_who_came_first() -> None:
    async def scene() -> None:
        supply, order = Supply(10), []

        async def want(name: str, size: int) -> None:
            await supply.take(size)
            order.append(name)

        await supply.take(8)
        large, small = (asyncio.create_task(want(n, s)) for n, s in (("large", 5), ("small", 1)))
        await asyncio.sleep(0)
        assert not supply.take_now(1)  # it would overtake
        supply.give(8)
        await asyncio.gather(large, small)
        assert (order, supply.used) == (["large", "small"], 6)

    play(scene)


def test_who_gives_up_waiting_lets_the_next_one_in_and_takes_nothing() -> None:
    async def scene() -> None:
        supply = Supply(10)
        await supply.take(8)
        waiting = [asyncio.create_task(supply.take(size)) for size in (10, 2)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await waiting[1]
        assert supply.used == 10
        granted = asyncio.create_task(supply.take(5))
        await asyncio.sleep(0)
        supply.give(8)
        granted.cancel()  # in the moment of being granted
        await asyncio.gather(granted, return_exceptions=True)
        assert supply.used == 2

    play(scene)


def test_who_leaves_in_the_moment_that_something_is_given_back_just_leaves() -> None:
    async def scene() -> None:
        supply = Supply(1)
        await supply.take(1)
        leaves = asyncio.create_task(supply.take(1))
        await asyncio.sleep(0)
        leaves.cancel()
        supply.give(1)
        with pytest.raises(asyncio.CancelledError):
            await leaves
        assert supply.take_now(1)

    play(scene)


def test_a_lease_holds_what_it_says_and_nothing_more_than_there_is() -> None:
    async def scene() -> None:
        supply = Supply(100)
        one, other = Lease(supply), Lease(supply)
        await one.hold(70)
        await one.hold(40)
        assert (one.held, supply.used) == (40, 40)
        with pytest.raises(Busy):
            other.hold_now(61)
        other.hold_now(60)
        with pytest.raises(TooLarge):
            await other.hold(101)
        one.hold_now(0)
        other.hold_now(0)
        assert supply.used == 0

    play(scene)


def test_no_more_works_run_at_once_than_there_are_slots() -> None:
    running, most, lock = 0, 0, threading.Lock()
    both = threading.Barrier(2)

    def work() -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        both.wait(10)  # two at a time, never one alone
        with lock:
            running -= 1
        return "done"

    async def scene() -> Any:
        two = desk(2)
        return await asyncio.gather(*(two.run(Caller(two).request, work) for _ in range(8)))

    assert play(scene) == ["done"] * 8
    assert most == 2


def test_what_finds_no_room_in_the_queue_is_refused_at_once() -> None:
    open_ = threading.Event()

    async def scene() -> list[Any]:
        one = desk(1, queue=2)
        asked = [
            asyncio.create_task(one.run(Caller(one).request, lambda: open_.wait(10)))
            for _ in range(5)
        ]
        done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_EXCEPTION)
        assert all(isinstance(task.exception(), Busy) for task in done)
        open_.set()
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert await one.run(Caller(one).request, lambda: "again") == "again"
        return results

    assert [isinstance(result, Busy) for result in play(scene)] == [False] * 3 + [True] * 2


def test_a_queue_of_large_works_leaves_the_bytes_to_other_queues() -> None:
    open_ = threading.Event()

    async def scene() -> None:
        one = desk(1, memory=100)
        queue = [
            asyncio.create_task(one.run(Caller(one).request, lambda: open_.wait(10), size=50))
            for _ in range(4)
        ]
        await until(lambda: one.queues["large"].free == one.queues["uploads"].free - 4)
        upload = one.run(Caller(one).request, lambda: "kept", size=50, queue="uploads")
        async with asyncio.timeout(5):
            assert await upload == "kept"
        with pytest.raises(TooLarge):  # at once, though every slot is taken
            await one.run(Caller(one).request, lambda: "late", size=101)
        for task in queue:
            task.cancel()
        open_.set()

    play(scene)


def test_what_waits_too_long_is_refused_and_leaves_no_trace() -> None:
    open_ = threading.Event()

    async def scene() -> None:
        one = desk(patience=0.05)
        first = asyncio.create_task(one.run(Caller(one).request, lambda: open_.wait(10), size=60))
        await until(lambda: one.queues["large"].slots.used == 1)
        for queue in ("large", "uploads"):  # there is no slot, and there are no bytes
            late = Caller(one)
            with pytest.raises(Busy):
                await one.run(late.request, lambda: "late", size=60, queue=queue)
            late.lease.hold_now(0)
        open_.set()
        await first
        assert (one.queues["large"].slots.used, one.memory.used) == (0, 60)

    play(scene)


def test_a_work_that_fails_gives_its_slot_back() -> None:
    def broken() -> None:
        raise ValueError("broken")

    async def scene() -> None:
        one = desk(1, queue=0)
        for _ in range(3):
            with pytest.raises(ValueError, match="broken"):
                await one.run(Caller(one).request, broken)
        assert await one.run(Caller(one).request, lambda: 1) == 1

    play(scene)


def test_callers_who_leave_keep_nobody_out() -> None:
    """Two slots and a queue full of callers who have left: the next one is answered."""

    def long() -> None:
        while True:
            cancellation.check()

    async def scene() -> None:
        two = desk(2, queue=16, memory=1000)
        left = [Caller(two) for _ in range(18)]
        asked = [asyncio.create_task(two.run(one.request, long, size=50)) for one in left]
        await until(lambda: two.queues["large"].slots.used == 2)
        stays = Caller(two)
        with pytest.raises(Busy):
            await two.run(stays.request, lambda: "kept out")
        for one in left:
            one.gone.set()
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert {type(result) for result in results} == {ClientDisconnect}
        assert await two.run(stays.request, lambda: "answered") == "answered"
        for one in left:
            one.lease.hold_now(0)
        assert (two.memory.used, two.queues["large"].slots.used) == (0, 0)

    play(scene)


def test_bytes_are_in_use_until_the_thread_of_somebody_who_left_has_ended() -> None:
    begun, end = threading.Event(), threading.Event()

    def deaf() -> None:
        begun.set()
        end.wait(10)  # asks nobody whether to go on

    async def scene() -> None:
        one = desk()
        caller = Caller(one)
        asked = asyncio.create_task(one.run(caller.request, deaf, size=80))
        await until(begun.is_set)
        caller.gone.set()
        await asyncio.sleep(0.02)
        assert not asked.done()
        assert (one.memory.used, one.queues["large"].slots.used) == (80, 1)
        end.set()
        with pytest.raises(ClientDisconnect):
            await asked
        assert one.queues["large"].slots.used == 0

    play(scene)


def test_uploads_and_small_works_have_queues_of_their_own() -> None:
    async def scene() -> None:
        one = desk()
        one.queues["large"] = Queue(0, 0)
        with pytest.raises(Busy):
            await one.run(Caller(one).request, lambda: 1)
        for queue in ("small", "uploads"):
            assert await one.run(Caller(one).request, lambda: 1, queue=queue) == 1

    play(scene)


def test_what_is_on_the_disk_is_opened_before_uploads_that_wait_for_memory() -> None:
    async def scene() -> None:
        one = desk(memory=100)
        order, holder = [], Lease(one.memory)
        await holder.hold(80)

        async def want(name: str, queue: str, *, ahead: bool) -> None:
            caller = Caller(one)
            async with one.place(caller.request, queue=queue) as place:
                await place.hold(90 if queue == "uploads" else 60, ahead=ahead)
                order.append(name)
            caller.lease.hold_now(0)

        upload = asyncio.create_task(want("upload", "uploads", ahead=False))
        await until(lambda: one.queues["uploads"].running() == 1)
        opening = [asyncio.create_task(want(name, "opening", ahead=True)) for name in "ab"]
        await until(lambda: one.queues["opening"].running() == 2)
        holder.hold_now(0)
        await asyncio.gather(upload, *opening)
        assert (order[2], one.memory.used) == ("upload", 0)
        await holder.hold(30)  # what is free is had at once, though an upload waits
        waits = asyncio.create_task(want("upload", "uploads", ahead=False))
        await until(lambda: one.queues["uploads"].running() == 1)
        await want("at once", "opening", ahead=True)
        assert not waits.done()
        holder.hold_now(0)
        await waits

    play(scene)


def test_work_of_one_key_is_done_one_after_the_other() -> None:
    async def scene() -> None:
        one = desk(patience=0.05)
        async with one.exclusive("a"), one.exclusive("b"):
            with pytest.raises(Busy):
                async with one.exclusive("a"):
                    pass
        async with one.exclusive("a"):
            pass

    play(scene)


def test_a_desk_that_closes_takes_nothing_more() -> None:
    async def scene() -> None:
        one = desk()
        assert await one.run_on_disk_thread(lambda: 1) == 1
        one.close()
        with pytest.raises(Busy) as error:
            await one.run(Caller(one).request, lambda: 1)
        assert error.value.reason == "stopping"

    play(scene)
