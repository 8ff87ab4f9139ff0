"""Questions on disk, by trace id, for every worker: links last, and the oldest make room.

Questions are a convenience, for all of them can be asked again. So a broken file is set aside
under the name `questions.sqlite.broken`, and a new one begun.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TypeVar

from app.errors import StorageFull
from app.weights.disk import locked

T = TypeVar("T")
SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS questions (
    id TEXT PRIMARY KEY, question BLOB NOT NULL, used REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON questions (used);
"""
ROW = "SELECT CAST(question AS BLOB), used FROM questions WHERE id = ?"
PUT = """
INSERT INTO questions VALUES (?, ?, ?)
ON CONFLICT (id) DO UPDATE SET question = excluded.question, used = excluded.used
"""
BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
DAY = 86_400.0
ROW_BYTES = 200  # what a question takes beyond its own bytes: id, index, room in its page
SIZE = f"length(question) + {ROW_BYTES}"


class Questions:
    """A SQLite file in `folder`, opened at the first use; safe for threads and processes."""

    def __init__(self, folder: Path, quota_bytes: int, expiry_seconds: float) -> None:
        self.folder = folder
        self.path = folder / "questions.sqlite"
        self.quota_bytes = quota_bytes
        self.expiry_seconds = expiry_seconds
        self._young = min(DAY, expiry_seconds / 10)  # to be written again only when older
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._allowance = 0  # bytes this process may keep before it counts again

    def put(self, trace_id: str, question: bytes) -> None:
        """Keeps a question, as the youngest. Raises StorageFull where the disk takes nothing."""
        size, now = len(question) + ROW_BYTES, time.time()
        if size > self.quota_bytes:
            raise StorageFull("questions", cause=f"{size} > {self.quota_bytes} bytes")

        def keep(db: sqlite3.Connection) -> None:
            kept, used = _row(db, trace_id)
            if kept == question and now - used <= self._young:
                return
            if size > self._allowance:
                self._make_room(db, size)
            db.execute(PUT, (trace_id, question, now))
            self._allowance -= size

        self._ask(keep)

    def get(self, trace_id: str) -> bytes | None:
        """The question, or None; reading keeps it young. Raises StorageFull."""
        now = time.time()

        def read(db: sqlite3.Connection) -> bytes | None:
            question, used = _row(db, trace_id)
            if now - used > self.expiry_seconds:
                return None
            if now - used > self._young:
                with suppress(sqlite3.OperationalError):  # a full disk can still be read
                    db.execute("UPDATE questions SET used = ? WHERE id = ?", (now, trace_id))
            return question

        return self._ask(read)

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    def _make_room(self, db: sqlite3.Connection, size: int) -> None:
        """Expired questions go; then the least recently used, a tenth of the quota at once.

        Counting all bytes takes longer than keeping a question: each process keeps up to a
        twentieth of the quota between two counts.
        """
        db.execute("DELETE FROM questions WHERE used < ?", (time.time() - self.expiry_seconds,))
        (taken,) = db.execute(f"SELECT total({SIZE}) FROM questions").fetchone()
        surplus = taken + size - self.quota_bytes
        gone = []
        if surplus > 0:
            surplus += self.quota_bytes // 10
            oldest = db.execute(f"SELECT id, {SIZE} FROM questions ORDER BY used")
            while surplus > 0 and (row := oldest.fetchone()):
                gone.append(row[:1])
                surplus -= row[1]
        db.executemany("DELETE FROM questions WHERE id = ?", gone)
        self._allowance = self.quota_bytes // 20

    def _ask(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """work(connection) as one transaction; once more with a new file where this is broken."""
        with self._lock:
            try:
                try:
                    return self._transact(work)
                except sqlite3.DatabaseError as error:
                    if error.sqlite_errorcode & 0xFF not in BROKEN:
                        raise
                    self._set_aside()
                    return self._transact(work)
            except (OSError, sqlite3.OperationalError) as error:
                self._disconnect()  # what could not be opened whole is opened again
                raise StorageFull(
                    "questions", cause=getattr(error, "strerror", None) or str(error)
                ) from error

    def _transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._file is not None and self._file != _identity(self.path):
            self._disconnect()  # another process has set the file aside
        with self._connection or self._connect() as db:
            return work(db)

    def _connect(self) -> sqlite3.Connection:
        with locked(self.folder):
            connection = sqlite3.connect(self.path, timeout=5, check_same_thread=False)
            self._connection, self._file = connection, _identity(self.path)
            connection.executescript(SCHEMA)
        return connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, self._file, self._allowance = None, None, 0

    def _set_aside(self) -> None:
        """Moves the file that was found broken, unless another process was quicker."""
        found = self._file
        self._disconnect()
        with locked(self.folder):
            if found == _identity(self.path):
                for end in ("", "-wal", "-shm"):
                    with suppress(FileNotFoundError):
                        os.replace(f"{self.path}{end}", f"{self.path}.broken{end}")


def _row(db: sqlite3.Connection, trace_id: str) -> tuple[bytes | None, float]:
    row = db.execute(ROW, (trace_id,)).fetchone()
    return row or (None, time.time())


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file has the name now; None where there is none."""
    with suppress(FileNotFoundError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None
