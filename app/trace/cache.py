"""Bounded memory of answers: what was forgotten is computed again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class Cache(Generic[V]):
    """The least recently used values go first once their sizes pass `capacity` bytes."""

    def __init__(self, capacity: int, size: Callable[[V], int]) -> None:
        self.capacity = capacity
        self.used = 0
        self._size = size
        self._values: OrderedDict[str, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> V | None:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: str, value: V) -> None:
        """A value larger than the capacity is not kept."""
        size = self._size(value)
        with self._lock:
            if size > self.capacity or key in self._values:
                return
            self._values[key] = value
            self.used += size
            while self.used > self.capacity:
                _, oldest = self._values.popitem(last=False)
                self.used -= self._size(oldest)

    def drop(self, key: str) -> None:
        with self._lock:
            value = self._values.pop(key, None)
            if value is not None:
                self.used -= self._size(value)
