"""Questions on disk, by trace id, for every worker: links last, and the oldest make room.

Questions are a convenience, for all of them can be asked again. So a broken file is set aside
under the name `questions.sqlite.broken`, and a new one begun.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from app.errors import Busy, StorageFull
from app.storage import keepers
from app.storage.database import Database, without_waiting
from app.storage.keepers import KEEPER_BYTES, ROW_BYTES
from app.storage.lived_time import DAY, LivedTime, Look
from app.storage.soon import Soon

# Pages of the log that are carried over into the file together, 16 MB. That waits for the disk
# twice, and whoever keeps a question meanwhile waits along: with SQLite's 1,000 pages, after every
# 220 questions.
TOGETHER = 4000
# 0.1.0 writes rows of exactly these three columns: what came later has tables of its own.
SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA wal_autocheckpoint = {TOGETHER};
CREATE TABLE IF NOT EXISTS questions (
    id TEXT PRIMARY KEY, question BLOB NOT NULL, used REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON questions (used);
{keepers.TABLES}
"""
VERSION = 1
ROW = "SELECT CAST(question AS BLOB), used FROM questions WHERE id = ?"
PUT = """
INSERT INTO questions (id, question, used) VALUES (?, ?, ?)
ON CONFLICT (id) DO UPDATE SET question = excluded.question, used = excluded.used
"""
TOUCH = "UPDATE questions SET used = ? WHERE id = ?"
MANY_CLIENTS = 1000
LATELY = 10.0  # seconds
MANY_LATELY = 4096
SOON = 0.02  # seconds; longer gathers more, and another process is told later
MANY_SOON = 256


class QuestionStore:
    """A SQLite file in `folder`, opened at the first use; safe for threads and processes.

    One client may fill `client_share` of the quota; then its own oldest make room.
    """

    def __init__(
        self, folder: Path, quota_bytes: int, expiry_seconds: float, client_share: float = 1.0
    ) -> None:
        self.evicted = 0  # links that went to make room, in this process
        self.quota_bytes = quota_bytes
        self.share_bytes = int(quota_bytes * client_share)
        self.expiry_seconds = expiry_seconds
        self._young = min(DAY, expiry_seconds / 10)  # to be written again only when older
        self.path = folder / "questions.sqlite"
        self._database = Database(self.path, SCHEMA, VERSION)
        self._opened: sqlite3.Connection | None = None
        self._lived = LivedTime(expiry_seconds)
        self._allowance = 0  # bytes to keep before all are counted again
        self._allowances: dict[str, int] = {}  # the same for each client
        self._lately: dict[tuple[str, str], float] = {}  # (question, client) → when it was kept
        self._soon: Soon[tuple[str, str], bytes] = Soon(self._keep_all, SOON, MANY_SOON)

    def put(self, trace_id: str, question: bytes, client: str = "") -> None:
        """Keeps a question for a client, as the youngest. Raises StorageFull where the disk takes
        nothing, Busy where others hold the file."""
        size = len(question) + ROW_BYTES
        if size > self.quota_bytes:
            raise StorageFull("questions", cause=f"{size} > {self.quota_bytes} bytes")
        self._database.ask(lambda db: self._keep(db, trace_id, question, client))
        self._note(trace_id, client)

    def put_soon(self, trace_id: str, question: bytes, client: str = "") -> bool:
        """The same a moment later, many in one transaction: a fraction of the time for each. This
        process knows it at once. False where too many wait; nobody is told where it is not kept."""
        if len(question) + ROW_BYTES > self.quota_bytes:
            return True  # it never will be
        return self._soon.add((trace_id, client), question)

    def kept_lately(self, trace_id: str, client: str = "") -> bool:
        """Whether this process kept the question for the client in the last seconds, and has let
        go of none since. The disk is not asked: another process, or a person, may have."""
        kept = self._lately.get((trace_id, client))
        lately = kept is not None and time.monotonic() - kept < LATELY
        return lately or (trace_id, client) in self._soon

    def get(self, trace_id: str) -> bytes | None:
        """The question, or None; reading keeps it young. Raises StorageFull, and Busy."""
        for (waiting, _), question in self._soon.known().items():
            if waiting == trace_id:
                return question

        def read(db: sqlite3.Connection) -> bytes | None:
            # Who reads waits for no writer, and a full disk can still be read.
            if self._due(db):
                with without_waiting(db), suppress(sqlite3.OperationalError):
                    self._look(db)
            question, old = self._row(db, trace_id)
            if question is not None and old:
                with without_waiting(db), suppress(sqlite3.OperationalError):
                    db.execute(
                        "UPDATE questions SET used = ? WHERE id = ?", (time.time(), trace_id)
                    )
                    keepers.touch(db, trace_id, self._lived.now)
            return question

        return self._database.ask(read)

    def sound(self) -> bool:
        """Whether a question could be read and kept now. False, once, where the file was broken
        and a new one was begun."""

        def look(db: sqlite3.Connection) -> None:
            db.execute("SELECT id FROM questions LIMIT 1").fetchone()
            db.execute("BEGIN IMMEDIATE")  # takes the lock of a writer, and writes nothing

        begun_anew = self._database.set_aside
        try:
            self._database.ask(look)
        except (Busy, StorageFull):
            return False
        return self._database.set_aside == begun_anew

    def count(self) -> int:
        """How many there are; no file is begun to count none. Raises StorageFull, and Busy."""
        self._soon.flush()
        if not self._database.path.exists():
            return 0

        def counted(db: sqlite3.Connection) -> int:
            (count,) = db.execute("SELECT count(*) FROM questions").fetchone()
            return int(count)

        return self._database.ask(counted)

    def size(self) -> int:
        """Bytes of its files."""
        self._soon.flush()
        files = (self.path, self.path.with_name(f"{self.path.name}-wal"))
        return sum(file.stat().st_size for file in files if file.is_file())

    def close(self) -> None:
        self._soon.flush()
        self._database.close()

    def _keep(self, db: sqlite3.Connection, trace_id: str, question: bytes, client: str) -> None:
        if self._due(db):
            self._look(db)
        kept, old = self._row(db, trace_id)
        if kept == question and not old and keepers.keeps(db, client, trace_id):
            return
        size = len(question) + ROW_BYTES
        self._make_room(db, client, size + KEEPER_BYTES)
        keepers.keep(db, client, trace_id, size, self._lived.now)  # before a trigger finds none
        db.execute(PUT, (trace_id, question, time.time()))

    def _keep_all(self, questions: dict[tuple[str, str], bytes]) -> None:
        def keep(db: sqlite3.Connection) -> None:
            for (trace_id, client), question in questions.items():
                self._keep(db, trace_id, question, client)

        with suppress(Busy, StorageFull):
            self._database.ask(keep)
            for trace_id, client in questions:
                self._note(trace_id, client)

    def _note(self, trace_id: str, client: str) -> None:
        """That it was kept just now."""
        if len(self._lately) >= MANY_LATELY:
            self._lately.clear()
        self._lately[trace_id, client] = time.monotonic()

    def _row(self, db: sqlite3.Connection, trace_id: str) -> tuple[bytes | None, bool]:
        """The question, and whether its use should be written down again: the clock says so,
        whichever way it went."""
        question, used = db.execute(ROW, (trace_id,)).fetchone() or (None, time.time())
        return question, abs(time.time() - used) > self._young

    def _due(self, db: sqlite3.Connection) -> bool:
        return db is not self._opened or self._lived.due

    def _look(self, db: sqlite3.Connection) -> None:
        """Goes on with the time, and lets go what nobody used for so long; never at first sight."""
        self._lately.clear()
        first = db is not self._opened
        if first:
            self._lived, self._allowance, self._allowances = LivedTime(self.expiry_seconds), 0, {}
        last = db.execute("SELECT seconds, wall FROM lived").fetchone()
        look = self._lived.look(last and Look(*last))
        db.execute("DELETE FROM lived")
        db.execute("INSERT INTO lived (seconds, wall) VALUES (?, ?)", look)
        if last is None:
            keepers.adopt(db, look.lived)
        if first:
            self._opened = db
        else:
            keepers.expire(db, look.lived - self.expiry_seconds)

    def _make_room(self, db: sqlite3.Connection, client: str, size: int) -> None:
        """A client over its share lets go of its own oldest; then, where all together pass the
        quota, the least recently used go.

        Counting takes longer than keeping a question: each process keeps up to a twentieth of the
        share, and a hundredth of the quota, between two counts, and makes as much room at once. A
        file far over the quota, of another release or another setting, shrinks by and by.
        """
        if client and size > self._allowances.get(client, 0):
            step = self.share_bytes // 20
            surplus = keepers.taken_by(db, client) + size - self.share_bytes
            if surplus > 0:
                self._lately.clear()
                self.evicted += keepers.release(db, client, min(surplus, size) + step)
            if len(self._allowances) >= MANY_CLIENTS:
                self._allowances.clear()
            self._allowances[client] = step if surplus <= size else 0
        if size > self._allowance:
            step = self.quota_bytes // 100
            surplus = keepers.taken(db) + size - self.quota_bytes
            if surplus > 0:
                self._lately.clear()
                self.evicted += keepers.evict(db, min(surplus, size) + step)
            self._allowance = step if surplus <= size else 0
        self._allowance -= size
        if client:
            self._allowances[client] -= size
