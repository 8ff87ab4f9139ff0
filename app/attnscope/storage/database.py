"""A SQLite file that threads and processes share: opened at need, told apart when it is locked,
set aside when it is broken."""

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
# Our statements break no constraint: a file that has one we do not know is not ours.
BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT}
LOGS = ("-wal", "-shm")
PAUSE = 1.0  # seconds in which nobody asks again a file that was found locked


class NotOurs(sqlite3.DatabaseError):
    """Tables of our names, but not as we know them: the file of another program or release."""

    sqlite_errorcode = sqlite3.SQLITE_NOTADB


class Database:
    """One connection to `path`, opened at the first use; its owner alone can read the file.

    A file of an older version gets `upgrade` and `version`; a newer one stays, where `schema` fits.
    """

    def __init__(self, path: Path, schema: str, version: int, upgrade: str = "") -> None:
        self.path = path
        self.schema = schema
        self.version = version
        self.upgrade = upgrade
        self.set_aside = 0  # how many files were found broken
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._busy_until = 0.0

    def ask(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """work(connection) as one transaction; once more with a new file where this is broken.

        Raises Busy where others hold the file, StorageFull where the disk takes nothing.
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
                self._disconnect()  # what could not be opened whole is opened again
                if _code(error) in LOCKED:
                    raise Busy("storage_busy") from error
                raise StorageFull(
                    "questions", cause=getattr(error, "strerror", None) or str(error)
                ) from error

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One thread at a time. Who finds the file locked tells all that wait, and all that come
        in the next second, so that they do not wait one after the other."""
        self._check_free()
        if not self._lock.acquire(timeout=PATIENCE):
            raise Busy("storage_busy")
        try:
            self._check_free()
            try:
                yield
            except Busy:
                self._busy_until = time.monotonic() + PAUSE
                raise
        finally:
            self._lock.release()

    def _check_free(self) -> None:
        if time.monotonic() < self._busy_until:
            raise Busy("storage_busy")

    def _transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._file is not None and self._file != _identity(self.path):
            self._disconnect()  # another process has set the file aside
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
        with locked(self.path.parent):
            with suppress(FileExistsError):  # SQLite gives its other files the mode of this one
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE_FILE))
                for end in LOGS:  # of a file that somebody deleted: not to be mixed with this one
                    Path(f"{self.path}{end}").unlink(missing_ok=True)
            db = sqlite3.connect(self.path, timeout=PATIENCE, check_same_thread=False)
            self._connection, self._file = db, _identity(self.path)
            try:
                db.executescript(self.schema)
                (version,) = db.execute("PRAGMA user_version").fetchone()
                if version < self.version:
                    upgrade = f"{self.upgrade} PRAGMA user_version = {self.version};"
                    db.executescript(f"BEGIN IMMEDIATE; {upgrade} COMMIT;")
            except sqlite3.OperationalError as error:
                if _code(error) == sqlite3.SQLITE_ERROR:
                    raise NotOurs(str(error)) from error
                raise

    def _read(self, work: Callable[[sqlite3.Connection], T], error: Exception) -> T:
        """work on what a disk that takes nothing still holds; raises `error` where it writes, and
        where there is nothing."""
        log = Path(f"{self.path}-wal")
        if _code(error) in LOCKED or not self.path.is_file() or not self.path.stat().st_size:
            raise error
        # A file without a log is opened without its other files, which could not be made here.
        how = "mode=ro" if log.is_file() and log.stat().st_size else "mode=ro&immutable=1"
        address = f"{self.path.resolve().as_uri()}?{how}"
        try:
            with closing(sqlite3.connect(address, uri=True, timeout=PATIENCE)) as db:
                return work(db)
        except sqlite3.OperationalError as refused:
            raise error from refused

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, self._file = None, None

    def _move_broken(self) -> None:
        """Sets aside the file that was found broken, unless another process was quicker."""
        found = self._file
        self._disconnect()
        with locked(self.path.parent):
            if found == _identity(self.path):
                self.set_aside += 1
                for end in ("", *LOGS):
                    with suppress(FileNotFoundError):
                        os.replace(f"{self.path}{end}", f"{self.path}.broken{end}")


@contextmanager
def without_waiting(db: sqlite3.Connection) -> Iterator[None]:
    """What others hold is not waited for meanwhile."""
    db.execute("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        db.execute(f"PRAGMA busy_timeout = {round(PATIENCE * 1000)}")


def _code(error: Exception) -> int:
    """SQLite's primary code of an error; 0 where it has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file has the name now; None where there is none."""
    with suppress(FileNotFoundError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None
