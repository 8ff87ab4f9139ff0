"""Pool of tokenizer processes: one for each tokenizer, evicted by least recent use.

A tokenizer holds the GIL and cannot be interrupted; a process can be killed when it takes too long,
or too much memory, or when its client disconnects. None may be awaited on the event loop: there
`NeedsThread` is raised, and the caller continues in a thread.
"""

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

from attnscope import stopping
from attnscope.tokens.library import PieceWithoutRow, TokenizerFailed
from attnscope.tokens.process import LOOK, MIB, Process
from attnscope.tokens.tokenizer_worker import DONE, FAILED, NO_ROW, REFUSED
from attnscope.tokens.untrusted_tokenizer import StrangeDefinition

MOST = 8  # processes of one worker
HELD = 512 * MIB  # of all their tokenizers, besides the most recent one
CUT_SECONDS, CUT_BYTES = 5, 192 * MIB  # for one text
OPEN_SECONDS, OPEN_BYTES = 20, 128 * MIB  # for a definition, and for each byte of it
OPEN_EACH, UNIGRAM_EACH = 24, 80  # a Unigram model is opened as a trie, with a node for each byte
BRIEF = 0.05  # seconds

UNIGRAM = b'"Unigram"'

_brief: ContextVar[bool] = ContextVar("brief", default=False)
_beginning: ContextVar[bool] = ContextVar("beginning", default=False)


class NeedsThread(Exception):
    """The work must not run on this thread. `brief`: it takes milliseconds, so it may share a
    thread with other brief work."""

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


def briefly() -> AbstractContextManager[None]:
    """In this context, work that is not brief raises Elsewhere."""
    return _inside(_brief)


def beginning() -> AbstractContextManager[None]:
    """In this context the event loop may block: the server does not serve yet."""
    return _inside(_beginning)


def opening_bytes(size: int, *, unigram: bool) -> int:
    """Bytes that opening a definition of this size may take."""
    return OPEN_BYTES + (UNIGRAM_EACH if unigram else OPEN_EACH) * size


@dataclass(frozen=True)
class Definition:
    """A tokenizer.json for a process to open; `strange`: after checking it."""

    content: bytes
    strange: bool = False
    key: str = field(init=False)

    @property
    def opening_bytes(self) -> int:
        """Bytes that opening it may take."""
        return opening_bytes(len(self.content), unigram=UNIGRAM in self.content)

    def __post_init__(self) -> None:
        key = sha256(self.content).hexdigest() + str(self.strange)
        object.__setattr__(self, "key", key)


class Bench:
    """The process of one tokenizer, if running, its lock, and the number of its users."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.process: Process | None = None
        self.users = 0
        self.long = False  # whether work runs that is not brief
        self.took = self.held = 0  # bytes: peak of opening, and held since

    def ready(self) -> bool:
        return self.process is not None and self.process.alive

    def end(self) -> None:
        if self.process is not None:
            self.process.end()


class Processes:
    """Processes by definition; None is the one that splits into words and characters."""

    def __init__(self) -> None:
        self._benches: OrderedDict[str, Bench] = OrderedDict()
        self._lock = Lock()

    def ask(
        self, definition: Definition | None, work: str, *arguments: Any, seconds: float
    ) -> list[Any]:
        """The result of work that takes about `seconds`.

        Raises Elsewhere, CutFailed, PieceWithoutRow, TokenizerFailed, StrangeDefinition, and
        Abandoned.
        """
        key = "" if definition is None else definition.key
        self._check_place(key, seconds)
        with self._using(key) as bench:
            process = self._process(bench, definition)
            bench.long = seconds > BRIEF
            return _values(process.ask(work, CUT_SECONDS, CUT_BYTES, *arguments))

    def described(self, definition: Definition, rows: int) -> tuple[list[Any], int, int]:
        """Names and properties of a tokenizer's tokens, and the bytes that opening it took and that
        it holds."""
        self._check_place(definition.key, float("inf"))
        with self._using(definition.key) as bench:
            process = self._process(bench, definition)
            memory = definition.opening_bytes
            return (
                _values(process.ask("describe", OPEN_SECONDS, memory, rows)),
                bench.took, bench.held,
            )  # fmt: skip

    def close(self) -> None:
        """Kill all processes, and so their work."""
        with self._lock:
            for bench in self._benches.values():
                if bench.process is not None and bench.users:
                    bench.process.kill()  # a thread that waits for it gets CutFailed
                else:
                    bench.end()

    def _check_place(self, key: str, seconds: float) -> None:
        bench = self._benches.get(key)
        brief = seconds <= BRIEF and bench is not None and bench.ready() and not bench.long
        on_loop = _on_event_loop() and not _beginning.get()
        if on_loop or (_brief.get() and not brief):
            raise NeedsThread(brief)

    @contextmanager
    def _using(self, key: str) -> Iterator[Bench]:
        with self._lock:
            bench = self._benches.setdefault(key, Bench())
            self._benches.move_to_end(key)
            bench.users += 1
        try:
            while not bench.lock.acquire(timeout=LOOK):
                stopping.check()
            try:
                yield bench
            finally:
                bench.long = False
                bench.lock.release()
        finally:
            with self._lock:
                bench.users -= 1
                self._end_some()

    def _process(self, bench: Bench, definition: Definition | None) -> Process:
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

    def _end_some(self) -> None:
        """Evict the least recently used processes beyond the limits on number and memory."""
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
    """The values of a reply. Raises the error that it names."""
    became, *values = reply
    if became == REFUSED:
        raise StrangeDefinition(values[0], **values[1])
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
    """The pool of this process, closed at its exit."""
    processes = Processes()
    atexit.register(processes.close)
    return processes


def _close_before_fork() -> None:
    """A child must not share the pipes of its parent's processes."""
    if shared.cache_info().currsize:
        shared().close()


os.register_at_fork(before=_close_before_fork, after_in_child=shared.cache_clear)
