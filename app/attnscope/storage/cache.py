from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any, TypeVar, cast

V = TypeVar("V")


class Cache:
    """LRU cache by class and key. `capacity` is in bytes."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.used = 0
        self.evicted = 0
        self._values: OrderedDict[tuple[type, str], tuple[Any, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, kind: type[V], key: str) -> V | None:
        with self._lock:
            found = self._values.get((kind, key))
            if found is None:
                return None
            self._values.move_to_end((kind, key))
            return cast(V, found[0])

    def put(self, key: str, value: object, size: int, kind: type | None = None) -> None:
        """Do nothing if the key is known or the value too large. `kind` replaces its class."""
        at = (kind or type(value), key)
        with self._lock:
            if size > self.capacity or at in self._values:
                return
            self._values[at] = value, size
            self.used += size
            while self.used > self.capacity:
                _, (_, oldest) = self._values.popitem(last=False)
                self.used -= oldest
                self.evicted += 1

    def drop(self, kind: type, key: str) -> None:
        with self._lock:
            _, size = self._values.pop((kind, key), (None, 0))
            self.used -= size
