from __future__ import annotations

import os
from pathlib import Path

from attnscope.trace.engine import Engine
from attnscope.web.http.metrics import Metrics

PAGE = os.sysconf("SC_PAGE_SIZE")


def install(metrics: Metrics, engine: Engine, data: Path) -> None:
    gauge, cache, questions = metrics.gauge, engine.cache, engine.questions
    gauge("attnscope_trace_bytes", "Traces, plans and uploads in memory", lambda: cache.used)
    gauge("attnscope_trace_evictions", "Forgotten to make room", lambda: cache.evicted)
    gauge("attnscope_question_evictions", "Gone to make room", lambda: questions.evicted)
    gauge("attnscope_resident_bytes", "Memory of the process", resident)
    uploads = data / "models"
    on_disk = {
        "uploads": (lambda: bytes_below(uploads), engine.models.count),
        "questions": (questions.size, questions.count),
    }
    for name, (size, count) in on_disk.items():
        gauge("attnscope_store_bytes", "On the disk", size, shared=True, of=name)
        gauge("attnscope_store_entries", "Kept on the disk", count, shared=True, of=name)


def resident() -> int:
    """Raises OSError without /proc."""
    return int(Path("/proc/self/statm").read_bytes().split()[1]) * PAGE


def bytes_below(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
