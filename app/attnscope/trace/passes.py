"""Passes over large maps, cached in memory and on disk."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from attnscope import __version__, cancellation
from attnscope.attention.flash_pass import RowSums
from attnscope.attention.level import Level
from attnscope.attention.overview import Overview, Rows, Tick
from attnscope.storage.cache import Cache, MapStore

FORMAT_VERSION = 1  # version of the stored bytes


def to_bytes(overview: Overview) -> bytes:
    extremes = np.array([overview.low, overview.high])
    numbers = np.array([FORMAT_VERSION, overview.side])
    arrays = {**_arrays(overview), "extremes": extremes, "numbers": numbers}
    return save({name: np.ascontiguousarray(array) for name, array in arrays.items()})


def from_bytes(data: bytes) -> Overview | None:
    """None if the bytes are damaged or of another FORM."""
    try:
        arrays = load(data)
        form, side = arrays["numbers"].tolist()
        if form != FORMAT_VERSION:
            return None
        low, high = arrays["extremes"].tolist()
        level = Level(*(arrays[f"level.{name}"] for name in Level._fields))
        if "row.entropy" not in arrays:
            return Overview(side, level, low, high, None)
        sums = RowSums(*(arrays[f"sums.{name}"] for name in RowSums._fields))
        others = (arrays[f"row.{name}"] for name in Rows._fields if name != "sums")
        return Overview(side, level, low, high, Rows(sums, *others))
    except (SafetensorError, LookupError, ValueError):
        return None


def size_of(overview: Overview) -> int:
    return sum(array.nbytes for array in _arrays(overview).values())


def _arrays(overview: Overview) -> dict[str, np.ndarray]:
    arrays = {f"level.{name}": array for name, array in overview.level._asdict().items()}
    if overview.rows is None:
        return arrays
    sums = {f"sums.{name}": array for name, array in overview.rows.sums._asdict().items()}
    rows = overview.rows._asdict().items()
    return {**arrays, **sums, **{f"row.{name}": array for name, array in rows if name != "sums"}}


PAUSE = 0.05  # seconds between polls
DEFAULT_CACHE_BYTES = 64 << 20  # bytes of the default cache

Make = Callable[[Tick], Overview]


@dataclass
class RunningPass:
    finished: Event = field(default_factory=Event)
    waiting: int = 0
    progress: tuple[int, int] = (0, 1)
    result: Overview | None = None


def pass_name(trace_id: str, stage: str, layer: int, head: int, batch: int) -> str:
    return f"{__version__} {trace_id} {stage} {layer} {head} {batch}"


class Passes:
    """`store` is shared by processes. `executor` is for callers, such as LongMap."""

    def __init__(
        self, cache: Cache | None = None, store: MapStore | None = None,
        executor: Executor | None = None,
    ) -> None:  # fmt: skip
        self._cache, self._store, self.executor = (
            cache or Cache(DEFAULT_CACHE_BYTES),
            store,
            executor,
        )
        self._flights: dict[str, RunningPass] = {}
        self._lock = Lock()

    def known(self, name: str) -> Overview | None:
        """The overview if it is in memory."""
        return self._cache.get(Overview, name)

    @contextmanager
    def waiting(self, name: str) -> Iterator[RunningPass | None]:
        """Keep a running pass from being cancelled. Yields None if none runs."""
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
        """Call make(tick) if not cached. Raises ClientDisconnected."""
        while True:
            found = self._cache.get(Overview, name)
            if found is not None:
                return found
            with self._lock:
                flight = self._flights.get(name)
                mine = flight is None
                if flight is None:
                    flight = self._flights[name] = RunningPass()
                else:
                    flight.waiting += 1
            if mine:
                return self._compute(name, flight, make, tick)
            found = self._wait(flight, tick)
            if found is not None:
                return found

    def _compute(self, name: str, flight: RunningPass, make: Make, tick: Tick | None) -> Overview:
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
            flight.finished.set()

    def _wait(self, flight: RunningPass, tick: Tick | None) -> Overview | None:
        """Result of a pass in another thread; None if that failed."""
        try:
            while not flight.finished.wait(PAUSE):
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
