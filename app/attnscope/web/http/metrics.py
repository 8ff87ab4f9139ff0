from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from attnscope.errors import AttnscopeError
from attnscope.settings import COUNTING
from attnscope.trace.engine import Engine

FOLDER = COUNTING


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "attnscope_requests", "Requests", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "attnscope_request_seconds", "Time to the last byte", ["route"], registry=self.registry
        )
        self.refusals = Counter(
            "attnscope_connections_refused",
            "Connections without a request",
            ["code"],
            registry=self.registry,
        )
        self.several = FOLDER in os.environ
        self._families: dict[str, Gauge] = {}
        self._own: list[tuple[Gauge, Callable[[], float]]] = []
        self._shared: list[tuple[Gauge, Callable[[], float]]] = []

    def gauge(
        self,
        name: str,
        about: str,
        read: Callable[[], float],
        *,
        shared: bool = False,
        **labels: str,
    ) -> None:
        """`read` may run in any thread. Workers are summed; if `shared`, the latest value
        counts."""
        family = self._families.get(name)
        if family is None:
            family = self._families[name] = Gauge(
                name,
                about,
                list(labels),
                registry=self.registry,
                multiprocess_mode="livemostrecent" if shared else "livesum",
            )
        gauge = family.labels(**labels) if labels else family
        (self._shared if shared else self._own).append((gauge, read))

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        self.requests.labels(method, route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)

    def refused(self, code: str) -> None:
        self.refusals.labels(code).inc()

    def look(self) -> None:
        _read(self._own)

    def text(self) -> bytes:
        self.look()
        _read(self._shared)
        if not self.several:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)


def _read(gauges: list[tuple[Gauge, Callable[[], float]]]) -> None:
    for gauge, read in gauges:
        with suppress(OSError, AttnscopeError):  # on errors keep the last value
            gauge.set(read())


PAGE = os.sysconf("SC_PAGE_SIZE")


def add_gauges(metrics: Metrics, engine: Engine, data: Path) -> None:
    gauge, cache, questions = metrics.gauge, engine.cache, engine.questions
    gauge("attnscope_trace_bytes", "Traces, plans and uploads in memory", lambda: cache.used)
    gauge("attnscope_trace_evictions", "Evicted from memory", lambda: cache.evicted)
    gauge("attnscope_question_evictions", "Evicted questions", lambda: questions.evicted)
    gauge("attnscope_resident_bytes", "Memory of the process", resident)
    uploads = data / "models"
    on_disk = {
        "uploads": (lambda: bytes_below(uploads), engine.models.count),
        "questions": (questions.size, questions.count),
    }
    for name, (size, count) in on_disk.items():
        gauge("attnscope_store_bytes", "Bytes on disk", size, shared=True, of=name)
        gauge("attnscope_store_entries", "Entries on disk", count, shared=True, of=name)


def resident() -> int:
    """Raises OSError without /proc."""
    return int(Path("/proc/self/statm").read_bytes().split()[1]) * PAGE


def bytes_below(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
