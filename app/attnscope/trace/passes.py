"""Passes over large maps, cached in memory and on disk."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock

from attnscope import __version__, cancellation
from attnscope.attention.overview import Overview, Tick
from attnscope.storage.cache import Cache
from attnscope.storage.maps import MapStore
from attnscope.trace.overview_bytes import from_bytes, size_of, to_bytes

PAUSE = 0.05  # seconds between polls
ALONE = 64 << 20  # bytes of the cache, if none is given

Make = Callable[[Tick], Overview]


@dataclass
class SingleFlight:
    landed: Event = field(default_factory=Event)
    waiting: int = 0
    progress: tuple[int, int] = (0, 1)
    result: Overview | None = None


def pass_name(trace_id: str, stage: str, layer: int, head: int, batch: int) -> str:
    return f"{__version__} {trace_id} {stage} {layer} {head} {batch}"


class Passes:
    """`store` is shared by processes; without `executor`, passes run on local cores."""

    def __init__(
        self, cache: Cache | None = None, store: MapStore | None = None,
        executor: Executor | None = None,
    ) -> None:  # fmt: skip
        self._cache, self._store, self.executor = cache or Cache(ALONE), store, executor
        self._flights: dict[str, SingleFlight] = {}
        self._lock = Lock()

    def known(self, name: str) -> Overview | None:
        """The overview if it is in memory."""
        return self._cache.get(Overview, name)

    @contextmanager
    def waiting(self, name: str) -> Iterator[SingleFlight | None]:
        """Keep a running pass from being abandoned. Yields None if none runs."""
        with self._lock:
            flight = self._flights.get(name)
            if flight is not None:
                flight.waiting += 1
        try:
            yield flight
        finally:
            if flight is not None:
                with self._lock:
                    flight.waiting -= 1

    def overview(self, name: str, make: Make, tick: Tick | None = None) -> Overview:
        """Call make(tick) if not cached. Raises Abandoned if all clients have disconnected."""
        while True:
            found = self._cache.get(Overview, name)
            if found is not None:
                return found
            with self._lock:
                flight = self._flights.get(name)
                mine = flight is None
                if flight is None:
                    flight = self._flights[name] = SingleFlight()
                else:
                    flight.waiting += 1
            if mine:
                return self._fly(name, flight, make, tick)
            found = self._wait(flight, tick)
            if found is not None:
                return found

    def _fly(self, name: str, flight: SingleFlight, make: Make, tick: Tick | None) -> Overview:
        def report(done: int, of: int) -> None:
            flight.progress = (done, of)
            if not flight.waiting:
                cancellation.check()
            if tick is not None:
                tick(done, of)

        try:
            flight.result = self._made(name, make, report)
            self._cache.put(name, flight.result, size_of(flight.result))
            return flight.result
        finally:
            with self._lock:
                self._flights.pop(name, None)
            flight.landed.set()

    def _wait(self, flight: SingleFlight, tick: Tick | None) -> Overview | None:
        """Result of a pass in another thread; None if it failed."""
        try:
            while not flight.landed.wait(PAUSE):
                cancellation.check()
                if tick is not None:
                    tick(*flight.progress)
        finally:
            with self._lock:
                flight.waiting -= 1
        return flight.result

    def _made(self, name: str, make: Make, tick: Tick) -> Overview:
        """One process computes; others poll the store."""
        if self._store is None:
            return make(tick)
        while True:
            with self._store.claim(name) as mine:
                stored = self._store.get(name)
                found = None if stored is None else from_bytes(stored)
                if found is None and mine:
                    found = make(tick)
                    self._store.put(name, to_bytes(found))
            if found is not None:
                return found
            cancellation.check()
            time.sleep(PAUSE)
