"""An event loop in its own thread, as notebooks already run one in the main thread.

anyio's portal refuses calls in the loop's thread, where garbage collection may close a client.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from attnscope.client.problem import Problem

T = TypeVar("T")
END_SECONDS = 10.0
CLOSED = "This client is closed: make another one."
FORKED = "This client is of another process: make another one in this process."


def _settle(done: Future[T], task: asyncio.Task[T]) -> None:
    if task.cancelled():
        done.cancel()
    elif error := task.exception():
        done.set_exception(error)
    else:
        done.set_result(task.result())


class Loop:
    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._ended = False
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._run, name="attnscope-client", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end; Ctrl+C cancels it. Raises Problem (`closed`)."""
        self._check_open(work)
        done: Future[T] = Future()
        tasks: list[asyncio.Task[T]] = []  # `start` adds the task, in the loop's thread

        def start() -> None:
            tasks.append(self._loop.create_task(work))
            tasks[0].add_done_callback(lambda task: _settle(done, task))

        def cancel() -> None:
            for task in tasks:
                task.cancel()

        try:
            self._loop.call_soon_threadsafe(start)
            return done.result()
        except BaseException:
            if not done.done():
                self._loop.call_soon_threadsafe(cancel)
            raise

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine; cancelling the future cancels it. Raises Problem (`closed`)."""
        self._check_open(work)
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def end(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `last` and end the thread; join it unless called in it, by garbage collection."""
        if self._ended or self._process != os.getpid():
            return
        self._ended = True

        async def ending() -> None:
            try:
                await last()
            finally:
                self._loop.stop()

        asyncio.run_coroutine_threadsafe(ending(), self._loop)
        if threading.current_thread() is not self._thread:
            self._thread.join(END_SECONDS)

    def _check_open(self, work: Coroutine[Any, Any, Any]) -> None:
        if self._ended or self._process != os.getpid():
            work.close()
            raise Problem("closed", CLOSED if self._ended else FORKED)

    def _run(self) -> None:
        try:
            self._loop.run_forever()
        finally:
            with suppress(RuntimeError):  # at interpreter exit
                self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()
