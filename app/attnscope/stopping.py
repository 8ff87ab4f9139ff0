"""Cancellation of work whose client has disconnected: `stoppable` sets the test for a thread, long
work calls `check` between steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_left: ContextVar[Callable[[], bool] | None] = ContextVar("left", default=None)


class Abandoned(Exception):
    """Raised when the client has disconnected. Never sent."""


@contextmanager
def stoppable(left: Callable[[], bool]) -> Iterator[None]:
    """Inside, in this thread, `check` raises Abandoned once left() is true."""
    token = _left.set(left)
    try:
        yield
    finally:
        _left.reset(token)


def check() -> None:
    """Raise Abandoned if the client of this thread's work has disconnected."""
    left = _left.get()
    if left is not None and left():
        raise Abandoned
