"""An SQLite file shared by threads and processes. A corrupt file is replaced."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import TypeVar

from attnscope.errors import Busy, StorageFull
from attnscope.storage.disk import PATIENCE, PRIVATE_FILE, locked

T = TypeVar("T")
LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
# Our statements keep all constraints: if one fails, another program has written the file.
BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT}
LOGS = ("-wal", "-shm")
PAUSE = 1.0  # seconds; see `_turn`


class ForeignFile(sqlite3.DatabaseError):
    """The file belongs to another program or release."""

    sqlite_errorcode = sqlite3.SQLITE_NOTADB


class Database:
    """The SQL `upgrade` runs on new and older files; newer files must fit `schema`. `patience`
    and `pause` are in seconds."""

    def __init__(
        self, path: Path, schema: str, version: int, upgrade: str = "", *,
        patience: float = PATIENCE, pause: float = PAUSE,
    ) -> None:  # fmt: skip
        self.path = path
        self.schema = schema
        self.version = version
        self.upgrade = upgrade
        self._patience, self._pause = patience, pause
        self.set_aside = 0
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._busy_until = 0.0

    def ask(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in a transaction; if the file is corrupt, run `work` on a new file.

        Raises Busy if locked, StorageFull for other errors of SQLite or the disk.
        """
        with self._turn():
            try:
                try:
                    return self._transact(work)
                except sqlite3.DatabaseError as error:
                    if _code(error) not in BROKEN:
                        raise
                    self._move_broken()
                    return self._transact(work)
            except (OSError, sqlite3.Error) as error:
                self._disconnect()
                if _code(error) in LOCKED:
                    raise Busy("storage_busy") from error
                raise StorageFull(
                    "questions", cause=getattr(error, "strerror", None) or str(error)
                ) from error

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    def __del__(self) -> None:
        """Python 3.13 warns if an open connection is garbage-collected."""
        self._disconnect()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Hold the lock. For `pause` seconds after Busy, raise Busy at once."""
        self._check_free()
        if not self._lock.acquire(timeout=self._patience):
            raise Busy("storage_busy")
        try:
            self._check_free()
            try:
                yield
            except Busy:
                self._busy_until = time.monotonic() + self._pause
                raise
        finally:
            self._lock.release()

    def _check_free(self) -> None:
        if time.monotonic() < self._busy_until:
            raise Busy("storage_busy")

    def _transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._file is not None and self._file != _identity(self.path):
            self._disconnect()  # another process has replaced the file
        if self._connection is None:
            try:
                self._connect()
            except (OSError, sqlite3.OperationalError) as error:
                self._disconnect()
                return self._read(work, error)
        assert self._connection is not None
        with self._connection as db:
            return work(db)

    def _connect(self) -> None:
        with locked(self.path.parent, self._patience):
            with suppress(FileExistsError):  # SQLite gives its other files the same mode
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE_FILE))
                for end in LOGS:  # left by a deleted database
                    Path(f"{self.path}{end}").unlink(missing_ok=True)
            db = sqlite3.connect(self.path, timeout=self._patience, check_same_thread=False)
            self._connection, self._file = db, _identity(self.path)
            try:
                db.executescript(self.schema)
                (version,) = db.execute("PRAGMA user_version").fetchone()
                if version < self.version:
                    upgrade = f"{self.upgrade} PRAGMA user_version = {self.version};"
                    db.executescript(f"BEGIN IMMEDIATE; {upgrade} COMMIT;")
            except sqlite3.OperationalError as error:
                if _code(error) == sqlite3.SQLITE_ERROR:
                    raise ForeignFile(str(error)) from error
                raise

    def _read(self, work: Callable[[sqlite3.Connection], T], error: Exception) -> T:
        """Run `work` on a read-only connection. Raises `error` if this is impossible."""
        log = Path(f"{self.path}-wal")
        if _code(error) in LOCKED or not self.path.is_file() or not self.path.stat().st_size:
            raise error
        # If there is no WAL, `immutable` keeps SQLite from creating a -shm file.
        how = "mode=ro" if log.is_file() and log.stat().st_size else "mode=ro&immutable=1"
        address = f"{self.path.resolve().as_uri()}?{how}"
        try:
            with closing(sqlite3.connect(address, uri=True, timeout=self._patience)) as db:
                return work(db)
        except sqlite3.OperationalError as refused:
            raise error from refused

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, self._file = None, None

    def _move_broken(self) -> None:
        found = self._file
        self._disconnect()
        with locked(self.path.parent, self._patience):
            if found == _identity(self.path):
                self.set_aside += 1
                for end in ("", *LOGS):
                    with suppress(FileNotFoundError):
                        os.replace(f"{self.path}{end}", f"{self.path}.broken{end}")


@contextmanager
def without_waiting(db: sqlite3.Connection) -> Iterator[None]:
    (before,) = db.execute("PRAGMA busy_timeout").fetchone()
    db.execute("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        db.execute(f"PRAGMA busy_timeout = {before}")


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _identity(path: Path) -> tuple[int, int] | None:
    with suppress(FileNotFoundError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None
