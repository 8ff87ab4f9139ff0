from __future__ import annotations

import logging
import os
import sys
import threading
import time
import traceback
from collections import deque
from datetime import UTC, datetime
from typing import Any

import orjson

KEPT = 10_000  # most queued lines; more are counted as lost
PAUSE = 0.05  # seconds between writes; warnings do not wait
AT_ONCE = 4096  # bytes that a pipe takes atomically (PIPE_BUF)
FLUSH_SECONDS = 0.3


class Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "time": when,
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        line |= _fields(record)
        if record.exc_info:
            line["trace"] = _trace(record)
        return orjson.dumps(line, default=str).decode()


class Console(logging.Formatter):
    """12:00:00.000 info message key=value …"""

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created).strftime("%H:%M:%S.%f")[:-3]
        fields = " ".join(f"{name}={value}" for name, value in _fields(record).items())
        line = f"{when} {record.levelname.lower():7} {record.getMessage()} {fields}".rstrip()
        return "\n".join([line, *_trace(record)]) if record.exc_info else line


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = getattr(record, "fields", {})
    return fields


def _trace(record: logging.LogRecord) -> list[str]:
    """The traceback without messages, which may quote users' texts."""
    lines: list[str] = []
    error = record.exc_info[1] if record.exc_info else None
    while error is not None:
        frames = traceback.extract_tb(error.__traceback__)
        lines[:0] = [
            *(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames),
            type(error).__qualname__,
        ]
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return lines


class RepeatFilter(logging.Filter):
    """Passes equal messages of libraries once a second."""

    def __init__(self) -> None:
        super().__init__()
        self._passed: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("attnscope"):
            return True
        key = (record.name, str(record.msg))
        since, held = self._passed.get(key, (-1.0, 0))
        now = time.monotonic()
        if 0 <= now - since < 1.0:
            self._passed[key] = (since, held + 1)
            return False
        if len(self._passed) > 100:
            self._passed.clear()
        self._passed[key] = (now, 0)
        if held:
            record.fields = {"repeated": held}
        return True


class Writer(logging.Handler):
    """Writes log lines in a thread of its own."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self.descriptor = descriptor
        self._lines: deque[bytes] = deque()
        self._lost = 0
        self._wake, self._urgent, self._empty = (threading.Event() for _ in range(3))
        threading.Thread(target=self._write, name="log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        if len(self._lines) >= KEPT:
            self._lost += 1
            return
        try:
            self._lines.append(self.format(record).encode(errors="replace") + b"\n")
        except Exception:
            self.handleError(record)
        self._empty.clear()
        if record.levelno >= logging.WARNING:
            self._urgent.set()
        if not self._wake.is_set():
            self._wake.set()

    def flush(self) -> None:
        self._urgent.set()
        self._wake.set()
        if self._lines:
            self._empty.wait(FLUSH_SECONDS)

    def _write(self) -> None:
        while True:
            self._wake.wait()
            self._urgent.wait(PAUSE)
            self._wake.clear()
            self._urgent.clear()
            while self._lines:
                together = self._lines.popleft()
                while self._lines and len(together) + len(self._lines[0]) <= AT_ONCE:
                    together += self._lines.popleft()
                self._put(together)
            self._empty.set()

    def _put(self, data: bytes) -> None:
        lost, self._lost = self._lost, 0
        if lost:
            data = _lost_line(lost, self.formatter) + data
        while data:
            try:
                data = data[os.write(self.descriptor, data) :]
            except OSError:
                return  # stderr was closed


def _lost_line(lost: int, formatter: logging.Formatter | None) -> bytes:
    record = logging.makeLogRecord(
        {"levelno": logging.WARNING, "levelname": "WARNING", "msg": "lines of the log were lost"}
    )
    record.fields = {"times": lost}
    return (formatter or logging.Formatter()).format(record).encode() + b"\n"


def configure(form: str, level: str) -> None:
    """`form`: "json", "console" or "auto", which is console on a terminal, else JSON."""
    if form == "auto":
        form = "console" if sys.stderr.isatty() else "json"
    writer = Writer(sys.stderr.fileno())
    writer.setFormatter(Console() if form == "console" else Json())
    writer.addFilter(RepeatFilter())
    root = logging.getLogger()
    root.handlers[:] = [writer]
    # do not collect fields that no line shows (https://docs.python.org/3/howto/logging.html#optimization)
    logging.logThreads = logging.logMultiprocessing = logging.logProcesses = False
    logging._srcfile = None
    for name, least in (
        ("", "WARNING"),
        ("uvicorn.error", "WARNING"),
        ("attnscope", level.upper()),
    ):
        logging.getLogger(name).setLevel(least)


def end() -> None:
    for handler in logging.getLogger().handlers:
        handler.flush()
