"""The thread in which a client's requests run."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator

import pytest

from attnscope.client.loop import Loop
from attnscope.client.problem import Problem


async def nothing() -> None:
    """Ends at once."""


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Commands that a shell runs in the background ignore SIGINT, and so would the test."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_cancels_what_is_waited_for_and_the_next_call_is_answered() -> None:
    loop, cancelled = Loop(), threading.Event()

    async def long() -> None:
        try:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    with pytest.raises(KeyboardInterrupt):
        loop.run(long())
    assert cancelled.wait(60)

    async def after() -> str:
        return "answered"

    assert loop.run(after()) == "answered"
    loop.end(nothing)


def test_it_ends_in_its_own_thread_too_where_garbage_may_be_collected() -> None:
    loop, ended = Loop(), threading.Event()

    async def last() -> None:
        ended.set()

    async def collected() -> None:
        loop.end(last)

    loop.run(collected())
    assert ended.wait(60)


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_forked_process_is_refused_and_ends_at_once() -> None:
    """Its threads are those of the parent, and so it would wait forever."""
    loop = Loop()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            loop.run(nothing())
        except Problem as problem:
            loop.end(nothing)
            os._exit(0 if "another process" in problem.detail else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    loop.run(nothing())
    loop.end(nothing)
