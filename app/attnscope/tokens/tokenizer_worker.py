"""Process of one tokenizer.

Request: [work, CPU seconds, bytes, *arguments], definition. Reply: [outcome, *values]. The kernel
kills the process beyond its CPU seconds; the library may abort if memory runs out.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from attnscope.tokens.frames import pack_frame, read_frame
from attnscope.tokens.library import Encoded, LoadedTokenizer, PieceWithoutRow, TokenizerFailed
from attnscope.tokens.untrusted_tokenizer import UnsafeDefinition, check_definition

if TYPE_CHECKING:
    from attnscope.tokens.split import Tokenizer

DONE, REFUSED, FAILED, NO_ROW, NO_MEMORY = "done", "refused", "failed", "no_row", "no_memory"
PAGE = os.sysconf("SC_PAGE_SIZE")
KEPT = 8 << 20  # bytes of growth before malloc_trim


class Tokenizing:
    def __init__(self) -> None:
        self._trained: LoadedTokenizer | None = None
        self._trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)

    def answer(self, work: str, seconds: int, memory: int, *arguments: Any) -> tuple[Any, ...]:
        before = _memory()[1]
        _limit(seconds, memory)
        try:
            return (DONE, *getattr(self, work)(*arguments))
        except UnsafeDefinition as refused:
            values = {key: str(value) for key, value in refused.values.items()}
            return REFUSED, refused.reason, values
        except PieceWithoutRow as error:
            return NO_ROW, error.piece
        except MemoryError:
            return (NO_MEMORY,)
        except (TokenizerFailed, ValueError, LookupError, TypeError, RecursionError):
            return (FAILED,)
        finally:
            if self._trim is not None and _memory()[1] > before + KEPT:
                self._trim(0)

    def open(self, definition: bytes, strange: bool) -> tuple[int, int]:
        """Return bytes at the peak of opening, and bytes then held."""
        before, highest = _memory()[1], _peak()
        if strange:
            check_definition(definition)
        self._trained = LoadedTokenizer(definition.decode())
        return max(_peak() - highest, 0), max(_memory()[1] - before, 0)

    def describe(self, rows: int) -> tuple[Any, ...]:
        assert self._trained is not None
        return (*self._trained.described(rows), tuple(self._trained.effort))

    def encode(self, text: str, pair: str | None, bare: bool, most: int, rows: int) -> Encoded:
        assert self._trained is not None
        return self._trained.encode(text, pair, bare, most, rows)

    def split(self, text: str, tokenizer: Tokenizer, most: int) -> tuple[Any, ...]:
        from attnscope.tokens.split import places  # rarely used

        found: list[int] = []
        total = 0
        for total, place in enumerate(places(text, tokenizer), 1):
            if total <= most:
                found.extend(place)
        return total, found


def main(descriptor: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    cutter = Tokenizing()
    with (
        suppress(EOFError, OSError),
        open(descriptor, "rb") as asked,
        open(os.dup(descriptor), "wb") as answers,
    ):
        while True:
            (work, seconds, memory, *arguments), content = read_frame(asked)
            given = (content, *arguments) if content else arguments
            answers.write(pack_frame(cutter.answer(work, seconds, memory, *given)))
            answers.flush()


def _limit(seconds: int, memory: int) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + 1 + seconds)
    if sys.platform == "linux":
        _lower(resource.RLIMIT_AS, _memory()[0] + memory)


def _lower(what: int, wanted: int) -> None:
    hard = resource.getrlimit(what)[1]
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(what, (soft, hard))


def _memory() -> tuple[int, int]:
    """Address space and resident bytes."""
    if sys.platform != "linux":
        return _peak(), _peak()
    with open("/proc/self/statm", encoding="ascii") as statm:
        addresses, resident = statm.read().split()[:2]
    return int(addresses) * PAGE, int(resident) * PAGE


def _peak() -> int:
    """Peak of resident bytes. On Linux, ru_maxrss would include the parent's."""
    if sys.platform == "linux":
        with open("/proc/self/status", encoding="ascii") as status:
            return int(status.read().partition("VmHWM:")[2].split()[0]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
