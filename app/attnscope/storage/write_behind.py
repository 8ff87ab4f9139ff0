"""Write-behind queue, so that requests do not wait for the disk."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock, Timer
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Soon(Generic[K, V]):
    """Calls `keep` in a thread, for at most `most` values of `pause` seconds; ignores errors."""

    def __init__(self, keep: Callable[[dict[K, V]], object], pause: float, most: int) -> None:
        self._keep, self._pause, self._most = keep, pause, most
        self._waiting: dict[K, V] = {}
        self._going: dict[K, V] = {}  # being stored
        self._timer: Timer | None = None
        self._lock, self._turn = Lock(), Lock()

    def add(self, key: K, value: V) -> bool:
        """False if full."""
        with self._lock:
            if len(self._waiting) >= self._most:
                return False
            self._waiting[key] = value
            if self._timer is None:
                self._timer = Timer(self._pause, self.flush)
                self._timer.daemon = True
                self._timer.start()
            return True

    def flush(self) -> None:
        """Store all now, and wait for running writes."""
        with self._turn:
            with self._lock:
                if self._timer is not None:
                    self._timer.cancel()
                self._timer, self._going, self._waiting = None, self._waiting, {}
            try:
                if self._going:
                    self._keep(self._going)
            finally:
                with self._lock:
                    self._going = {}

    def __contains__(self, key: K) -> bool:
        return key in self._waiting or key in self._going

    def known(self) -> dict[K, V]:
        with self._lock:
            return {**self._going, **self._waiting}
