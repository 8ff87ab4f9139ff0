"""Questions on disk, by trace id, for every worker: links last, and the oldest make room."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from app.errors import StorageFull

SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS questions (
    id TEXT PRIMARY KEY, question BLOB NOT NULL, used REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON questions (used);
"""
DAY = 86_400.0
PRUNE_EVERY = 500  # puts; counting all bytes takes longer than keeping one question


class Questions:
    """A SQLite file in `folder`, opened at the first use; safe for threads and processes."""

    def __init__(self, folder: Path, quota_bytes: int, expiry_seconds: float) -> None:
        self.folder = folder
        self.quota_bytes = quota_bytes
        self.expiry_seconds = expiry_seconds
        self._puts = 0
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None

    def put(self, trace_id: str, question: bytes) -> None:
        """Keeps a question. Raises StorageFull where the disk takes nothing."""
        row = (trace_id, question, time.time())
        with self._open() as db, db:
            db.execute("INSERT OR IGNORE INTO questions VALUES (?, ?, ?)", row)
            if self._puts % PRUNE_EVERY == 0:
                self._prune(db)
            self._puts += 1

    def get(self, trace_id: str) -> bytes | None:
        """The question, or None; reading keeps it young."""
        now = time.time()
        with self._open() as db:
            row = db.execute("SELECT question, used FROM questions WHERE id = ?", (trace_id,))
            question, used = row.fetchone() or (None, now)
            if now - used > self.expiry_seconds:
                return None
            if now - used > DAY:
                with db:
                    db.execute("UPDATE questions SET used = ? WHERE id = ?", (now, trace_id))
        return question

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _prune(self, db: sqlite3.Connection) -> None:
        """Expired questions go; then the least recently used, down to nine tenths of the quota."""
        db.execute("DELETE FROM questions WHERE used < ?", (time.time() - self.expiry_seconds,))
        count, total = db.execute(
            "SELECT count(*), total(length(question)) FROM questions"
        ).fetchone()
        if total > self.quota_bytes:
            spare = round(count * (1 - 0.9 * self.quota_bytes / total))
            db.execute(
                "DELETE FROM questions WHERE id IN "
                "(SELECT id FROM questions ORDER BY used LIMIT ?)",
                (spare,),
            )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._connect()
                yield self._connection
            except sqlite3.OperationalError as error:  # full, read-only, not to be opened
                raise StorageFull("questions", cause=str(error)) from error

    def _connect(self) -> sqlite3.Connection:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageFull("questions", cause=str(error)) from error
        path = self.folder / "questions.sqlite"
        connection = sqlite3.connect(path, timeout=5, check_same_thread=False)
        connection.executescript(SCHEMA)
        return connection
