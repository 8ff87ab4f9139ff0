from __future__ import annotations

import ctypes
import gc
import resource
import socket
import sys
from contextlib import ExitStack

ACCEPTS_PER_TURN = 16  # connections accepted in a turn of the loop
LISTEN_BACKLOG = 1024  # listen backlog
RESERVE = 256  # file descriptors that connections may not use
FEWEST = 16
TURN = 0.001  # seconds
# mallopt(3), from <malloc.h>.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
LARGE = 1 << 20
PAUSE = 5.0  # seconds between two trims
COLLECTION_THRESHOLD = 20_000  # new objects before a collection


def connections_that_fit(wanted: int) -> int:
    """Raise the soft limit of descriptors; return `wanted`, or less if fewer fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard == resource.RLIM_INFINITY:
        return wanted
    return min(wanted, max(hard - RESERVE, FEWEST))


def tune_malloc() -> None:
    """Fix glibc's thresholds for returning freed memory, which otherwise grow to 32 MB."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, 2)
        mallopt(M_MMAP_THRESHOLD, LARGE)
        mallopt(M_TRIM_THRESHOLD, 2 * LARGE)


class Trimming:
    """Runs malloc_trim when idle, as glibc returns only the top of an arena by itself."""

    def __init__(self) -> None:
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        self._answered = 0
        self._next = 0.0

    def due(self, now: float, answered: int, under_way: int) -> bool:
        if self._trim is None or under_way or answered == self._answered or now < self._next:
            return False
        self._answered, self._next = answered, now + PAUSE
        return True

    def trim(self) -> None:
        """malloc_trim takes up to 30 ms; ctypes releases the GIL."""
        gc.collect(1)  # reference cycles of failed requests
        if self._trim is not None:
            self._trim(0)


def tune_garbage_collector() -> None:
    """Collect garbage less often, as replies leave no reference cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECTION_THRESHOLD, *gc.get_threshold()[1:])


def shorten_thread_switches() -> None:
    """Switch threads more often: at the default of 5 ms, concurrent small questions take twice as
    long."""
    sys.setswitchinterval(TURN)


def listeners(host: str, port: int) -> list[socket.socket]:
    """Bind a socket for each address. Raises OSError if one is in use."""
    found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    with ExitStack() as failed:
        bound: list[socket.socket] = []
        for family, kind, protocol, _, address in dict.fromkeys(found):
            opened = failed.enter_context(socket.socket(family, kind, protocol))
            bound.append(opened)
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            # With port 0, all sockets take the port of the first.
            given = bound[0].getsockname()[1] if len(bound) > 1 else port
            opened.bind((address[0], given, *address[2:]))
        failed.pop_all()
    return bound
