"""Write-behind queue, so that requests do not wait for the disk."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Condition, Lock, Thread
from time import sleep
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
IDLE = 2.0  # seconds until an idle thread ends; starting one is slow


class WriteBehind(Generic[K, V]):
    """Passes values to `keep` after `pause` seconds; `add` refuses more than `most`."""

    def __init__(self, keep: Callable[[dict[K, V]], object], pause: float, most: int) -> None:
        self._keep, self._pause, self._most = keep, pause, most
        self._waiting: dict[K, V] = {}
        self._going: dict[K, V] = {}  # being stored
        self._lock, self._turn = Lock(), Lock()
        self._came = Condition(self._lock)
        self._has_thread = False

    def add(self, key: K, value: V) -> bool:
        with self._lock:
            if len(self._waiting) >= self._most:
                return False
            self._waiting[key] = value
            if not self._has_thread:
                self._has_thread = True
                Thread(target=self._run, name="write-behind", daemon=True).start()
            elif len(self._waiting) == 1:
                self._came.notify()
            return True

    def flush(self) -> None:
        """Store what is queued, and wait for a running write."""
        with self._turn:
            with self._lock:
                self._going, self._waiting = self._waiting, {}
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

    def _run(self) -> None:
        try:
            while self._wait_for_values():
                sleep(self._pause)
                self.flush()
        except BaseException:
            with self._lock:
                self._has_thread = False
            raise

    def _wait_for_values(self) -> bool:
        with self._lock:
            self._has_thread = self._came.wait_for(lambda: bool(self._waiting), IDLE)
            return self._has_thread
