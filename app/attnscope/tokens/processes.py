"""LRU pool of processes, since tokenizers hold the GIL and cannot be interrupted."""

from __future__ import annotations

import asyncio
import atexit
import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from threading import Lock
from typing import Any

from attnscope import cancellation
from attnscope.tokens.library import PieceWithoutRow, TokenizerFailed
from attnscope.tokens.process import LOOK, MIB, Process
from attnscope.tokens.tokenizer_worker import DONE, FAILED, NO_ROW, REFUSED
from attnscope.tokens.untrusted_tokenizer import UnsafeDefinition

MOST = 8  # processes per server worker
HELD = 512 * MIB  # bytes; the latest tokenizer may hold more
CUT_SECONDS, CUT_BYTES = 5, 192 * MIB  # for one text
OPEN_SECONDS, OPEN_BYTES = 20, 128 * MIB  # for a definition
OPEN_EACH, UNIGRAM_EACH = 24, 80  # more per byte of definition; Unigram builds a trie
BRIEF = 0.05  # seconds

UNIGRAM = b'"Unigram"'

_brief: ContextVar[bool] = ContextVar("brief", default=False)
_beginning: ContextVar[bool] = ContextVar("beginning", default=False)


class NeedsThread(Exception):
    """The work needs a thread. `brief`: it takes milliseconds."""

    def __init__(self, brief: bool) -> None:
        super().__init__(brief)
        self.brief = brief


@contextmanager
def _inside(flag: ContextVar[bool]) -> Iterator[None]:
    token = flag.set(True)
    try:
        yield
    finally:
        flag.reset(token)


def raise_if_slow() -> AbstractContextManager[None]:
    """Raise NeedsThread for work that is not brief."""
    return _inside(_brief)


def allow_blocking() -> AbstractContextManager[None]:
    """Allow blocking the event loop, before the server starts."""
    return _inside(_beginning)


def opening_bytes(size: int, *, unigram: bool) -> int:
    return OPEN_BYTES + (UNIGRAM_EACH if unigram else OPEN_EACH) * size


@dataclass(frozen=True)
class Definition:
    """Untrusted (`strange`) definitions are checked first."""

    content: bytes
    strange: bool = False
    key: str = field(init=False)

    @property
    def opening_bytes(self) -> int:
        return opening_bytes(len(self.content), unigram=UNIGRAM in self.content)

    def __post_init__(self) -> None:
        key = sha256(self.content).hexdigest() + str(self.strange)
        object.__setattr__(self, "key", key)


class PooledProcess:
    def __init__(self) -> None:
        self.lock = Lock()
        self.process: Process | None = None
        self.users = 0
        self.long = False
        self.took = self.held = 0  # bytes: at the peak of opening; after it

    def ready(self) -> bool:
        return self.process is not None and self.process.alive

    def end(self) -> None:
        if self.process is not None:
            self.process.end()


class Processes:
    """The process without definition splits text into words or characters."""

    def __init__(self) -> None:
        self._benches: OrderedDict[str, PooledProcess] = OrderedDict()
        self._lock = Lock()

    def ask(
        self, definition: Definition | None, work: str, *arguments: Any, seconds: float
    ) -> list[Any]:
        """Run `work` that takes about `seconds`.

        Raises NeedsThread, TokenizationFailed, PieceWithoutRow, TokenizerFailed, UnsafeDefinition,
        ClientDisconnected.
        """
        key = "" if definition is None else definition.key
        self._check_place(key, seconds)
        with self._using(key) as bench:
            process = self._process(bench, definition)
            bench.long = seconds > BRIEF
            return _values(process.ask(work, CUT_SECONDS, CUT_BYTES, *arguments))

    def described(self, definition: Definition, rows: int) -> tuple[list[Any], int, int]:
        self._check_place(definition.key, float("inf"))
        with self._using(definition.key) as bench:
            process = self._process(bench, definition)
            reply = process.ask("describe", OPEN_SECONDS, definition.opening_bytes, rows)
            return _values(reply), bench.took, bench.held

    def close(self) -> None:
        with self._lock:
            for bench in self._benches.values():
                if bench.process is not None and bench.users:
                    bench.process.kill()  # a waiting thread gets TokenizationFailed
                else:
                    bench.end()

    def _check_place(self, key: str, seconds: float) -> None:
        bench = self._benches.get(key)
        brief = seconds <= BRIEF and bench is not None and bench.ready() and not bench.long
        on_loop = _on_event_loop() and not _beginning.get()
        if on_loop or (_brief.get() and not brief):
            raise NeedsThread(brief)

    @contextmanager
    def _using(self, key: str) -> Iterator[PooledProcess]:
        with self._lock:
            bench = self._benches.setdefault(key, PooledProcess())
            self._benches.move_to_end(key)
            bench.users += 1
        try:
            while not bench.lock.acquire(timeout=LOOK):
                cancellation.check()
            try:
                yield bench
            finally:
                bench.long = False
                bench.lock.release()
        finally:
            with self._lock:
                bench.users -= 1
                self._evict_idle()

    def _process(self, bench: PooledProcess, definition: Definition | None) -> Process:
        if bench.process is not None and bench.process.alive:
            return bench.process
        bench.process = process = Process()
        if definition is not None:
            memory = definition.opening_bytes
            bench.long = True
            try:
                asked = process.ask(
                    "open", OPEN_SECONDS, memory, definition.strange, content=definition.content
                )
                bench.took, bench.held = _values(asked)
            except BaseException:
                process.end()
                raise
        return process

    def _evict_idle(self) -> None:
        idle = [key for key, bench in self._benches.items() if not bench.users]
        for key in idle:
            bench = self._benches[key]
            held = sum(one.held for one in self._benches.values())
            last = key == next(reversed(self._benches))
            crowded = len(self._benches) > MOST or (held > HELD and not last)
            if crowded or not bench.ready():
                del self._benches[key]
                bench.end()


def _values(reply: list[Any]) -> list[Any]:
    became, *values = reply
    if became == REFUSED:
        raise UnsafeDefinition(values[0], **values[1])
    if became == NO_ROW:
        raise PieceWithoutRow(values[0])
    if became == FAILED:
        raise TokenizerFailed
    assert became == DONE
    return values


def _on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@cache
def shared() -> Processes:
    processes = Processes()
    atexit.register(processes.close)
    return processes


def _close_before_fork() -> None:
    """Children must not share pipes."""
    if shared.cache_info().currsize:
        shared().close()


os.register_at_fork(before=_close_before_fork, after_in_child=shared.cache_clear)
