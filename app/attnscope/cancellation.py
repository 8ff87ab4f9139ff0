from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# ASGI extension: the caller cancels the request's task, and needs no reply.
CALLER_CANCELS = "attnscope.caller_cancels"

_has_disconnected: ContextVar[Callable[[], bool] | None] = ContextVar("left", default=None)


class ClientDisconnected(Exception):
    """Raised when the client has disconnected."""


@contextmanager
def cancel_when(left: Callable[[], bool]) -> Iterator[None]:
    """In the context, `check` raises ClientDisconnected once left() is true."""
    token = _has_disconnected.set(left)
    try:
        yield
    finally:
        _has_disconnected.reset(token)


def check() -> None:
    left = _has_disconnected.get()
    if left is not None and left():
        raise ClientDisconnected
