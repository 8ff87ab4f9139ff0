"""Questions by trace id in SQLite. A corrupt file is renamed to `questions.sqlite.broken`."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from attnscope.errors import Busy, StorageFull
from attnscope.storage.database import Database, without_waiting
from attnscope.storage.expiry_clock import DAY, ClockState, UptimeClock
from attnscope.storage.write_behind import WriteBehind

# Pages of the WAL (16 MB) per checkpoint, which syncs twice and blocks writers.
CHECKPOINT_PAGES = 4000
ROW_BYTES = 350  # of id, client, indexes and unused space
SIZE = f"length(question) + {ROW_BYTES}"
# A row for each client and question. `used`: last use, by the clock of expiry_clock.py.
SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES};
CREATE TABLE IF NOT EXISTS links (
    id TEXT, client TEXT, used REAL NOT NULL, question BLOB NOT NULL, PRIMARY KEY (id, client)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS links_by_use ON links (used);
CREATE INDEX IF NOT EXISTS links_by_client ON links (client, used);
CREATE TABLE IF NOT EXISTS lived (seconds REAL NOT NULL, wall REAL NOT NULL);
SELECT id, client, used, question FROM links LIMIT 0;
SELECT seconds, wall FROM lived LIMIT 0;
"""
VERSION = 2
# Version 0.2.0 had a table of clients.
UPGRADE = """
CREATE TABLE IF NOT EXISTS questions (id TEXT, question BLOB, used REAL);
CREATE TABLE IF NOT EXISTS keepers (client TEXT, question TEXT, used REAL);
INSERT OR IGNORE INTO links
SELECT id, ifnull(client, ''), ifnull(keepers.used, questions.used), questions.question
FROM questions LEFT JOIN keepers ON keepers.question = id;
DROP TABLE questions;
DROP TABLE keepers;
"""
# Version 0.1.0 stored wall-clock times: move them into the last hour, in the same order.
REBASE_TIMES = """
UPDATE links SET used = ? - 3600 * (newest - used) / (newest - oldest + 1)
FROM (SELECT max(used) AS newest, min(used) AS oldest FROM links)
"""
ROW = "SELECT CAST(question AS BLOB), used FROM links WHERE id = ? ORDER BY used DESC"
ROW_OF = "SELECT CAST(question AS BLOB), used FROM links WHERE id = ? AND client = ?"
PUT = "INSERT OR REPLACE INTO links (id, client, used, question) VALUES (?, ?, ?, ?)"
TOUCH = "UPDATE links SET used = ? WHERE id = ?"
EXPIRE = "DELETE FROM links WHERE used < ?"
MANY_CLIENTS = 1000
RECENT = 10.0  # seconds
MANY_RECENT = 4096
WRITE_DELAY = 0.02  # seconds
MAX_QUEUED = 256


class QuestionStore:
    """If a client exceeds `client_share` of the quota, its own oldest questions are evicted."""

    def __init__(
        self, folder: Path, quota_bytes: int, expiry_seconds: float, client_share: float = 1.0, *,
        soon: float = WRITE_DELAY,
    ) -> None:  # fmt: skip
        self.evicted = 0
        self.quota_bytes = quota_bytes
        self.share_bytes = int(quota_bytes * client_share)
        self.expiry_seconds = expiry_seconds
        self._young = min(DAY, expiry_seconds / 10)  # seconds; see `get`
        self.path = folder / "questions.sqlite"
        self._database = Database(self.path, SCHEMA, VERSION, UPGRADE)
        self._opened: sqlite3.Connection | None = None
        self._lived = UptimeClock(expiry_seconds)
        self._allowances: dict[str, int] = {}  # client → bytes to write until sizes are summed
        self._recent: dict[tuple[str, str], float] = {}  # (question, client) → time stored
        self._pending: WriteBehind[tuple[str, str], bytes] = WriteBehind(
            self._keep_all, soon, MAX_QUEUED
        )

    def put(self, trace_id: str, question: bytes, client: str = "") -> None:
        size = len(question) + ROW_BYTES
        if size > self.quota_bytes:
            raise StorageFull("question_size", needed=size, limit=self.quota_bytes)
        self._database.ask(lambda db: self._keep(db, trace_id, question, client))
        self._note(trace_id, client)

    def put_soon(self, trace_id: str, question: bytes, client: str = "") -> bool:
        """Queue the question, where `get` finds it. Return False if the queue is full. Ignores
        questions above the quota, and Busy and StorageFull of the write."""
        if len(question) + ROW_BYTES > self.quota_bytes:
            return True
        return self._pending.add((trace_id, client), question)

    def stored_recently(self, trace_id: str, client: str = "") -> bool:
        stored = self._recent.get((trace_id, client))
        recently = stored is not None and time.monotonic() - stored < RECENT
        return recently or (trace_id, client) in self._pending

    def get(self, trace_id: str) -> bytes | None:
        """Renews the last use if older than `_young`. Raises StorageFull and Busy."""
        for (waiting, _), question in self._pending.known().items():
            if waiting == trace_id:
                return question

        def read(db: sqlite3.Connection) -> bytes | None:
            # These writes may fail: reading must not wait for writers, nor need space on the disk.
            if self._due(db):
                with without_waiting(db), suppress(sqlite3.OperationalError):
                    self._look(db)
            question, used = db.execute(ROW, (trace_id,)).fetchone() or (None, self._lived.now)
            if self._lived.now - used > self._young:
                with without_waiting(db), suppress(sqlite3.OperationalError):
                    db.execute(TOUCH, (self._lived.now, trace_id))
            return question

        return self._database.ask(read)

    def sound(self) -> bool:
        """False if the file is locked, unwritable, or found corrupt by this call."""

        def look(db: sqlite3.Connection) -> None:
            db.execute("SELECT id FROM links LIMIT 1").fetchone()
            db.execute("BEGIN IMMEDIATE")  # takes the write lock only
            db.execute("DELETE FROM links WHERE 0")  # fails on a read-only file

        begun_anew = self._database.set_aside
        try:
            self._database.ask(look)
        except (Busy, StorageFull):
            return False
        return self._database.set_aside == begun_anew

    def count(self) -> int:
        """Without questions, creates no file."""
        self._pending.flush()
        if not self._database.path.exists():
            return 0

        def counted(db: sqlite3.Connection) -> int:
            (count,) = db.execute("SELECT count(DISTINCT id) FROM links").fetchone()
            return int(count)

        return self._database.ask(counted)

    def size(self) -> int:
        self._pending.flush()
        files = (self.path, self.path.with_name(f"{self.path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.is_file())

    def close(self) -> None:
        self._pending.flush()
        self._database.close()

    def _keep(self, db: sqlite3.Connection, trace_id: str, question: bytes, client: str) -> None:
        if self._due(db):
            self._look(db)
        stored, used = db.execute(ROW_OF, (trace_id, client)).fetchone() or (None, 0.0)
        if stored == question and self._lived.now - used <= self._young:
            return
        size = len(question) + ROW_BYTES
        if client:
            self._make_room(db, client, size, self.share_bytes, self.share_bytes // 20)
        self._make_room(db, "", size, self.quota_bytes, self.quota_bytes // 100)
        db.execute(PUT, (trace_id, client, self._lived.now, question))

    def _keep_all(self, questions: dict[tuple[str, str], bytes]) -> None:
        def keep(db: sqlite3.Connection) -> None:
            for (trace_id, client), question in questions.items():
                self._keep(db, trace_id, question, client)

        with suppress(Busy, StorageFull):
            self._database.ask(keep)
            for trace_id, client in questions:
                self._note(trace_id, client)

    def _note(self, trace_id: str, client: str) -> None:
        if len(self._recent) >= MANY_RECENT:
            self._recent.clear()
        self._recent[trace_id, client] = time.monotonic()

    def _due(self, db: sqlite3.Connection) -> bool:
        return db is not self._opened or self._lived.due

    def _look(self, db: sqlite3.Connection) -> None:
        """Advance the clock; delete expired rows, except at the first call on `db`."""
        self._recent.clear()
        first = db is not self._opened
        if first:
            self._lived, self._allowances = UptimeClock(self.expiry_seconds), {}
        last = db.execute("SELECT CAST(seconds AS REAL), CAST(wall AS REAL) FROM lived").fetchone()
        clock = self._lived.advance(last and ClockState(*last))
        db.execute("DELETE FROM lived")
        db.execute("INSERT INTO lived (seconds, wall) VALUES (?, ?)", clock)
        if last is None:
            db.execute(REBASE_TIMES, (clock.lived,))
        if first:
            self._opened = db
        else:
            db.execute(EXPIRE, (clock.lived - self.expiry_seconds,))

    def _make_room(
        self, db: sqlite3.Connection, client: str, size: int, limit: int, step: int
    ) -> None:
        """Evict least recently used rows, of all clients if `client` is "".

        Sizes are summed once per `step` bytes written, so `step` bytes more are freed.
        """
        if size > self._allowances.get(client, 0):
            surplus = _stored_bytes(db, client) + size - limit
            if surplus > 0:
                self._recent.clear()
                self.evicted += _evict(db, client, min(surplus, size) + step)
            if len(self._allowances) >= MANY_CLIENTS:
                self._allowances.clear()
            self._allowances[client] = step if surplus <= size else 0
        self._allowances[client] -= size


def _stored_bytes(db: sqlite3.Connection, client: str) -> int:
    (size,) = db.execute(f"SELECT total({SIZE}) {_rows(client)}", (client,)).fetchone()
    return int(size)


def _evict(db: sqlite3.Connection, client: str, surplus: int) -> int:
    oldest = db.execute(f"SELECT id, client, {SIZE} {_rows(client)} ORDER BY used", (client,))
    gone = []
    while surplus > 0 and (row := oldest.fetchone()):
        gone.append(row[:2])
        surplus -= row[2]
    db.executemany("DELETE FROM links WHERE id = ? AND client = ?", gone)
    return len(gone)


def _rows(client: str) -> str:
    return "FROM links WHERE client = ?" if client else "FROM links WHERE ? = ''"
