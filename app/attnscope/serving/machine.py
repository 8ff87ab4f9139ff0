"""What a process asks of its machine: descriptors, memory that goes back, sockets."""

from __future__ import annotations

import ctypes
import gc
import resource
import socket
import sys
from contextlib import ExitStack

GULP = 16  # connections that asyncio takes at once; it may take five times as many uncounted
QUEUE = 1024  # connections that the system keeps until they are taken
RESERVE = 256  # descriptors for what is not counted yet, last replies, files, databases
FEWEST = 16
TURN = 0.001  # seconds
# Of mallopt(3), as in <malloc.h>.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
LARGE = 1 << 20
PAUSE = 5.0  # seconds
YOUNG = 20_000  # objects, between two looks at the youngest; Python looks after 700


def connections_that_fit(wanted: int) -> int:
    """As many connections as asked for, or as this process has descriptors for: the soft limit is
    raised to the hard one, and some are kept for what is no connection, or not counted as one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard == resource.RLIM_INFINITY:
        return wanted
    return min(wanted, max(hard - RESERVE, FEWEST))


def give_memory_back() -> None:
    """Has glibc return a large array to the system when it is freed. Left alone it keeps an arena a
    thread, and takes arrays of up to 32 MB from there; other C libraries have no mallopt."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, 2)
        mallopt(M_MMAP_THRESHOLD, LARGE)
        mallopt(M_TRIM_THRESHOLD, 2 * LARGE)


class Trimming:
    """Has glibc return what lies free between small things that stay, at most every PAUSE seconds:
    by itself it returns the top of an arena alone, and a crowd leaves some 90 MB below it."""

    def __init__(self) -> None:
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        self._answered = 0
        self._next = 0.0

    def due(self, now: float, answered: int, under_way: int) -> bool:
        """Whether this is a moment for it: requests were answered since the last time (`answered`
        counts them), the last time is PAUSE seconds ago, and none is under way."""
        if self._trim is None or under_way or answered == self._answered or now < self._next:
            return False
        self._answered, self._next = answered, now + PAUSE
        return True

    def trim(self) -> None:
        """Takes up to some 30 ms, in which other threads go on: for a thread."""
        gc.collect(1)  # what failed requests have left in circles is found before it is trimmed
        if self._trim is not None:
            self._trim(0)


def settle() -> None:
    """Has Python look no more at what is there when a server begins: it stays as long as the
    process, and every full search for garbage would go through 100,000 objects of it. And look
    less often at what comes: an answer leaves nothing in circles, and some hundred objects that
    stay with its trace, so that looking for garbage took a sixth of a small question's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])


def take_short_turns() -> None:
    """Has a thread that computes let the others in after a millisecond: Python's five, taken each
    time the event loop has sent or received something, double what a small question takes."""
    sys.setswitchinterval(TURN)


def listeners(host: str, port: int) -> list[socket.socket]:
    """A bound socket for each address of a host. Raises OSError where one is taken."""
    found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    with ExitStack() as failed:
        bound: list[socket.socket] = []
        for family, kind, protocol, _, address in dict.fromkeys(found):
            opened = failed.enter_context(socket.socket(family, kind, protocol))
            bound.append(opened)
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            # With port 0, every address gets the port that the first was given.
            given = bound[0].getsockname()[1] if len(bound) > 1 else port
            opened.bind((address[0], given, *address[2:]))
        failed.pop_all()
    return bound
