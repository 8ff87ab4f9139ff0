"""Work that nobody waits for any more stops at its next step.

A thread cannot be ended from outside: whoever starts long work says how it learns that nobody
waits (`stoppable`), and long work asks between its steps (`check`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_left: ContextVar[Callable[[], bool] | None] = ContextVar("left", default=None)


class Abandoned(Exception):
    """Nobody waits for this any more. Told to nobody."""


@contextmanager
def stoppable(left: Callable[[], bool]) -> Iterator[None]:
    """Inside, `check` raises Abandoned once left() is true; in this thread alone."""
    token = _left.set(left)
    try:
        yield
    finally:
        _left.reset(token)


def check() -> None:
    """Raises Abandoned where nobody waits for this thread's work."""
    left = _left.get()
    if left is not None and left():
        raise Abandoned
