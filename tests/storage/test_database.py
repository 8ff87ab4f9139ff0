"""A SQLite file under trouble: locked by others, in two processes, private."""

from __future__ import annotations

import errno
import gc
import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from attnscope.errors import Busy, StorageFull
from attnscope.storage.database import Database
from attnscope.storage.disk import locked

SCHEMA = "PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS notes (note TEXT);"
ROOT = Path(__file__).resolve().parents[2]
Work = Callable[[sqlite3.Connection], object]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(tmp_path / "data/notes.sqlite", SCHEMA, 1, patience=0.1)) as opened:
        yield opened


def write(db: sqlite3.Connection) -> None:
    db.execute("INSERT INTO notes VALUES ('x')")


def count(db: sqlite3.Connection) -> int:
    (number,) = db.execute("SELECT count(*) FROM notes").fetchone()
    return int(number)


@contextmanager
def held(
    database: Database, how: str = "PRAGMA locking_mode = EXCLUSIVE"
) -> Iterator[list[sqlite3.Connection]]:
    """Another connection holds the file, as another program would. Yields the connections to it
    that are opened meanwhile."""
    database.close()  # who has the file open keeps others from holding it whole
    with closing(sqlite3.connect(database.path, isolation_level=None)) as other:
        other.execute(how)
        other.execute("BEGIN EXCLUSIVE")
        other.execute("INSERT INTO notes VALUES ('theirs')")
        opened: list[sqlite3.Connection] = []
        connect = sqlite3.connect

        def counted(*given: Any, **more: Any) -> sqlite3.Connection:
            opened.append(connect(*given, **more))
            return opened[-1]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sqlite3, "connect", counted)
            yield opened
        other.execute("ROLLBACK")


@pytest.mark.parametrize("work", [write, count])
def test_a_file_that_others_hold_is_busy_and_not_full(tmp_path: Path, work: Work) -> None:
    path = tmp_path / "data/notes.sqlite"
    with closing(Database(path, SCHEMA, 1, patience=0.1, pause=0.0)) as database:
        database.ask(write)
        with held(database), pytest.raises(Busy) as busy:
            database.ask(work)
        assert busy.value.reason == "storage_busy"
        database.ask(work)
        assert database.ask(count) >= 1


def test_who_comes_after_a_file_was_found_locked_is_refused_without_asking_it(
    database: Database,
) -> None:
    database.ask(write)
    with held(database) as opened:
        for _ in range(10):
            with pytest.raises(Busy):
                database.ask(write)
    assert len(opened) == 1


def test_those_who_wait_meanwhile_are_refused_too(database: Database) -> None:
    database.ask(write)

    def refused(_: int) -> bool:
        with pytest.raises(Busy):
            database.ask(write)
        return True

    with held(database) as opened, ThreadPoolExecutor(8) as pool:
        assert all(pool.map(refused, range(8)))
    assert len(opened) == 1


def test_a_file_is_asked_again_after_a_pause(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    database.ask(write)
    with held(database), monkeypatch.context() as patch:
        patch.setattr(time, "monotonic", lambda: now[0])
        database._busy_until = 100.5
        with pytest.raises(Busy):
            database.ask(count)
    now[0] = 100.6
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    assert database.ask(count) == 1


def test_a_thread_that_takes_long_makes_others_busy_and_not_hang(database: Database) -> None:
    begun, done = threading.Event(), threading.Event()

    def long(db: sqlite3.Connection) -> None:
        begun.set()
        done.wait(30)

    working = threading.Thread(target=database.ask, args=(long,))
    working.start()
    begun.wait(30)
    with pytest.raises(Busy):
        database.ask(count)
    done.set()
    working.join()


def test_reading_goes_on_while_others_write(database: Database) -> None:
    database.ask(write)
    with held(database, "PRAGMA locking_mode = NORMAL"):
        assert database.ask(count) == 1
        with pytest.raises(Busy):
            database.ask(write)


def test_a_folder_whose_lock_is_held_is_busy(database: Database) -> None:
    with locked(database.path.parent), pytest.raises(Busy):
        database.ask(count)


def test_all_its_files_are_their_owners_alone(database: Database) -> None:
    database.ask(write)
    files = sorted(database.path.parent.iterdir())
    assert [path.name for path in files] == [
        ".lock", "notes.sqlite", "notes.sqlite-shm", "notes.sqlite-wal",
    ]  # fmt: skip
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE(database.path.parent.stat().st_mode) == 0o700


# Another worker: it writes, waits for its turn on standard input, and writes again.
WORKER = """
import sys
from pathlib import Path
from attnscope.storage.database import Database
database = Database(Path(sys.argv[1]), sys.argv[2], 1)
for _ in range(2):
    database.ask(lambda db: db.execute("INSERT INTO notes VALUES ('worker')"))
    print("wrote", flush=True)
    sys.stdin.readline()
database.close()
"""


def test_a_file_that_is_deleted_under_two_workers_is_begun_anew_and_sound(
    database: Database,
) -> None:
    command = [sys.executable, "-c", WORKER, str(database.path), SCHEMA]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as worker:  # type: ignore[call-overload]
        assert worker.stdout.readline() == "wrote\n"
        database.ask(write)
        database.path.unlink()  # its log and its shared memory stay behind, open in both
        for _ in range(100):
            database.ask(write)
        worker.stdin.write("go on\n")
        worker.stdin.flush()
        assert worker.stdout.readline() == "wrote\n"
        worker.communicate("end\n")
    assert worker.returncode == 0
    assert database.ask(count) == 101
    database.close()
    with closing(sqlite3.connect(database.path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert count(db) == 101


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "after a crash"])
def test_a_disk_that_takes_nothing_is_read_and_not_written(
    database: Database, monkeypatch: pytest.MonkeyPatch, closed: bool
) -> None:
    database.ask(write)
    if closed:
        database.close()
    later = Database(database.path, SCHEMA, 1)

    def refuse(path: Path, flags: int, mode: int = 0) -> int:
        raise OSError(errno.EROFS, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        assert later.ask(count) == 1
        with pytest.raises(StorageFull) as full:
            later.ask(write)
    assert full.value.values == {"cause": "Read-only file system"}
    later.ask(write)
    assert database.ask(count) == later.ask(count) == 2
    later.close()


def test_tables_that_are_not_ours_are_set_aside(database: Database) -> None:
    database.path.parent.mkdir()
    with closing(sqlite3.connect(database.path)) as db, db:
        db.execute("CREATE TABLE other (note TEXT)")
    database.schema = f"{SCHEMA} CREATE INDEX IF NOT EXISTS by_note ON other (missing);"
    with pytest.raises(StorageFull):
        database.ask(write)
    assert database.set_aside == 1
    database.schema = SCHEMA
    database.ask(write)
    assert database.ask(count) == 1


def test_the_version_of_a_file_is_raised_and_never_lowered(database: Database) -> None:
    versions = []
    for version in (1, 3, 2):
        with closing(Database(database.path, SCHEMA, version)) as opened:
            opened.ask(write)
            versions.append(opened.ask(lambda db: db.execute("PRAGMA user_version").fetchone()[0]))
    assert versions == [1, 3, 3]


def test_a_database_that_nobody_closes_is_closed_when_it_is_collected(tmp_path: Path) -> None:
    """Else Python 3.13 warns of it, in whatever runs then."""
    database = Database(tmp_path / "notes.sqlite", SCHEMA, 1)
    connection = database.ask(lambda db: db)
    del database
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("select 1")
