"""Questions on disk: kept for every worker, bounded, forgotten when old."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from attnscope.errors import StorageFull
from attnscope.storage import questions as room
from attnscope.storage.expiry_clock import DAY
from attnscope.storage.questions import QuestionStore
from tests.clock import Clock
from tests.storage.conftest import WHOLE, Open
from tests.storage.kept import kept

ROOT = Path(__file__).resolve().parents[2]
YEAR = 365 * DAY
OLD_IDS = ("c5a45c657caf12c71c46b9afad09e1b2", "7cd74e1d912ce308c95ae1502aa1a4d8")
SCHEMA_0_2_0 = """
CREATE TABLE questions (id TEXT PRIMARY KEY, question BLOB, used REAL) WITHOUT ROWID;
CREATE INDEX by_use ON questions (used);
CREATE TABLE keepers (client TEXT, question TEXT, bytes INTEGER, used REAL);
CREATE TABLE lived (seconds REAL, wall REAL);
CREATE TRIGGER question_goes AFTER DELETE ON questions BEGIN
    DELETE FROM keepers WHERE question = old.id;
END;
"""
GARBAGE = b"no database " * 1000


def test_a_question_is_there_for_every_worker_and_after_a_restart(open_questions: Open) -> None:
    one, two = open_questions(), open_questions()
    one.put("a1", b"first")
    assert two.get("a1") == b"first"
    one.close()
    assert one.get("a1") == b"first"
    assert one.get("b2") is None


def test_what_is_put_soon_is_known_here_at_once_and_elsewhere_when_it_was_kept(
    open_questions: Open,
) -> None:
    one, two = open_questions(soon=3600), open_questions(soon=3600)
    assert one.put_soon("a1", b"first", "somebody")
    assert one.put_soon("b2", b"second")
    assert one.get("a1") == b"first"
    assert one.stored_recently("a1", "somebody")
    assert two.get("a1") is None
    one.close()
    assert (two.get("a1"), two.get("b2")) == (b"first", b"second")
    assert one.stored_recently("a1", "somebody")


def test_what_is_put_soon_and_does_not_fit_is_not_reported(open_questions: Open) -> None:
    questions = open_questions(quota_bytes=2 * WHOLE)
    assert questions.put_soon("a1", bytes(3 * WHOLE))
    assert questions.put_soon("b2", b"x")
    questions.close()
    assert (questions.get("a1"), questions.get("b2")) == (None, b"x")


def test_no_more_than_so_many_are_put_soon(open_questions: Open) -> None:
    questions = open_questions(soon=3600)
    taken = [questions.put_soon(str(i), b"x") for i in range(room.MAX_QUEUED + 1)]
    assert taken == [True] * room.MAX_QUEUED + [False]
    questions.close()


def test_another_process_knows_it_at_once(open_questions: Open, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path;"
        "from attnscope.storage.questions import QuestionStore;"
        "there = QuestionStore(Path(sys.argv[1]), 1 << 20, 1e6);"
        "there.put('b2', there.get('a1') + b' and back'); there.close()"
    )
    questions = open_questions()
    questions.put("a1", b"there")
    command = [sys.executable, "-c", code, str(tmp_path / "questions")]
    subprocess.run(command, cwd=ROOT, check=True)
    assert questions.get("b2") == b"there and back"


def test_an_expired_question_is_gone_and_reading_keeps_one_young(
    open_questions: Open, clock: Clock
) -> None:
    questions = open_questions(expiry_seconds=10 * DAY)
    questions.put("a1", b"read")
    questions.put("b2", b"left alone")
    clock.tick(6 * DAY)
    assert questions.get("a1") == b"read"
    clock.tick(6 * DAY)
    assert questions.get("a1") == b"read"
    assert questions.get("b2") is None


@pytest.mark.parametrize("expiry_seconds", [10 * DAY, 10.0])
def test_a_question_that_is_asked_again_is_young_again(
    open_questions: Open, clock: Clock, expiry_seconds: float
) -> None:
    questions = open_questions(expiry_seconds=expiry_seconds)
    for _ in range(4):
        questions.put("a1", b"again")
        clock.tick(0.6 * expiry_seconds)
    assert questions.get("a1") == b"again"


def test_an_altered_question_is_right_once_it_is_asked_again(
    open_questions: Open, tmp_path: Path
) -> None:
    questions = open_questions()
    questions.put("a1", b"right")
    with closing(sqlite3.connect(tmp_path / "questions/questions.sqlite")) as db, db:
        db.execute("UPDATE links SET question = 'text, no bytes'")
    assert questions.get("a1") == b"text, no bytes"
    questions.put("a1", b"right")
    assert questions.get("a1") == b"right"


def test_the_least_recently_used_make_room(open_questions: Open, clock: Clock) -> None:
    quota, size, many = 10_000, 100, 300
    questions = open_questions(quota_bytes=quota)
    for i in range(many):
        clock.tick(1)
        questions.put(f"{i:032x}", bytes(size))
    left = [i for i in range(many) if questions.get(f"{i:032x}") is not None]
    assert left == list(range(many - len(left), many))
    assert 0.8 * quota <= len(left) * (size + WHOLE) <= 1.05 * quota


def test_what_was_kept_a_moment_ago_is_known_for_a_moment(
    open_questions: Open, clock: Clock
) -> None:
    questions = open_questions()
    questions.put("a1", b"x", "somebody")
    assert questions.stored_recently("a1", "somebody")
    assert not questions.stored_recently("a1", "somebody else")
    clock.tick(room.RECENT)
    assert not questions.stored_recently("a1", "somebody")


def test_what_makes_room_is_not_taken_for_kept(open_questions: Open, clock: Clock) -> None:
    questions = open_questions(quota_bytes=10 * WHOLE)
    for name in "abcdef":
        clock.tick(1)
        questions.put(name, bytes(2 * WHOLE))
        assert questions.stored_recently(name)
    assert all(questions.get(name) for name in "abcdef" if questions.stored_recently(name))


def test_reading_saves_a_question_from_making_room(open_questions: Open, clock: Clock) -> None:
    questions = open_questions(quota_bytes=10 * WHOLE)
    for name in "abc":
        questions.put(name, bytes(2 * WHOLE))
        clock.tick(2 * DAY)
    questions.get("a")
    questions.put("d", bytes(2 * WHOLE))
    assert kept(questions, "abcd") == "acd"


def test_what_is_larger_than_the_quota_is_refused_and_takes_nobodys_room(
    open_questions: Open,
) -> None:
    questions = open_questions(quota_bytes=1000)
    questions.put("a1", b"small")
    with pytest.raises(StorageFull) as refused:
        questions.put("b2", bytes(1001))
    assert refused.value.reason == "question_size"  # a larger disk would not help
    assert questions.get("a1") == b"small"


def test_threads_share_one_connection(open_questions: Open) -> None:
    questions = open_questions()

    def work(thread: int) -> bool:
        for i in range(20):
            questions.put(f"{thread}-{i}", b"x")
        return all(questions.get(f"{thread}-{i}") == b"x" for i in range(20))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    questions = QuestionStore(tmp_path / "file/questions", 1 << 20, DAY)
    with pytest.raises(StorageFull) as error:
        questions.put("a1", b"x")
    assert (error.value.code, error.value.reason) == ("storage_full", "questions")


def test_a_file_that_cannot_be_opened_is_reported_and_left_alone(
    open_questions: Open, tmp_path: Path
) -> None:
    path = tmp_path / "questions/questions.sqlite"
    path.mkdir(parents=True)
    questions = open_questions()
    for use in (lambda: questions.put("a1", b"x"), lambda: questions.get("a1")):
        with pytest.raises(StorageFull):
            use()
    path.rmdir()
    questions.put("a1", b"now")
    assert questions.get("a1") == b"now"


def test_a_full_disk_is_reported_and_can_still_be_read(
    open_questions: Open, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(sqlite3.Connection):
        def executescript(self, script: str) -> sqlite3.Cursor:
            return super().executescript(f"{script}; PRAGMA max_page_count = 12;")

    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Full))
    questions = open_questions()
    questions.put("a1", b"small")
    with pytest.raises(StorageFull) as error:
        questions.put("b2", bytes(100_000))
    assert "full" in str(error.value.values["cause"])
    clock.tick(2 * DAY)
    assert questions.get("a1") == b"small"


def test_a_broken_file_is_set_aside_and_a_new_one_begun(
    open_questions: Open, tmp_path: Path
) -> None:
    path = tmp_path / "questions/questions.sqlite"
    path.parent.mkdir()
    path.write_bytes(GARBAGE)
    questions = open_questions()
    assert questions.get("a1") is None
    questions.put("a1", b"new")
    assert questions.get("a1") == b"new"
    assert path.with_name("questions.sqlite.broken").read_bytes() == GARBAGE


def test_a_file_that_breaks_while_it_is_open_is_set_aside_once(
    open_questions: Open, tmp_path: Path
) -> None:
    path = tmp_path / "questions/questions.sqlite"
    one, two, three = (open_questions() for _ in range(3))
    for i in range(200):
        one.put(f"{i:032x}", bytes(1000))
    one.close()  # everything is in the file now, and nothing in its log
    assert two.get("0") is three.get("0") is None
    with path.open("r+b") as file:
        file.write(GARBAGE)
        os.truncate(file.fileno(), len(GARBAGE))
    two.put("a1", b"new")
    assert three.get("a1") == b"new", "a worker with the old file open moves to the new one"
    assert one.get("a1") == b"new"
    assert path.with_name("questions.sqlite.broken").read_bytes() == GARBAGE


def test_a_file_that_is_deleted_is_begun_anew(open_questions: Open, tmp_path: Path) -> None:
    questions = open_questions()
    questions.put("a1", b"x")
    (tmp_path / "questions/questions.sqlite").unlink()
    assert questions.get("a1") is None
    assert not questions.stored_recently("a1")
    questions.put("a1", b"again")
    assert open_questions().get("a1") == b"again"


@pytest.mark.parametrize("jump", [2 * YEAR, -2 * YEAR])
@pytest.mark.parametrize("restart", [False, True], ids=["running", "restarted"])
def test_a_clock_that_jumps_and_one_that_jumps_back_cost_no_question(
    open_questions: Open, clock: Clock, jump: float, restart: bool
) -> None:
    questions = open_questions(expiry_seconds=30 * DAY)
    questions.put("a", b"before")
    for way in (jump, -jump):
        clock.jump(way)
        if restart:
            questions.close()
        for name in "bc":  # looks at the time, an hour apart
            questions.put(f"{name}{way}", b"meanwhile")
            clock.tick(2 * 3600)
    assert questions.get("a") == b"before"


@pytest.mark.parametrize("jump", [2 * YEAR, -2 * YEAR])
def test_after_a_jump_that_stays_a_question_has_the_rest_of_its_days(
    open_questions: Open, clock: Clock, jump: float
) -> None:
    questions = open_questions(expiry_seconds=30 * DAY)
    questions.put("a", b"used")
    questions.put("b", b"left alone")
    clock.jump(jump)
    for _ in range(25):
        clock.tick(DAY)
        questions.get("a")
    assert kept(questions, "ab") == "ab"
    for _ in range(31):
        clock.tick(DAY)
        questions.get("a")
    assert kept(questions, "ab") == "a"


def test_the_first_look_after_a_restart_deletes_nothing(open_questions: Open, clock: Clock) -> None:
    questions = open_questions(expiry_seconds=30 * DAY)
    questions.put("a", b"")
    clock.tick(29.9 * DAY)
    questions.put("b", b"")
    questions.close()
    clock.jump(YEAR)
    assert kept(questions, "b") == "b"
    with closing(sqlite3.connect(questions.path)) as db:
        assert db.execute("SELECT count(*) FROM links").fetchone() == (2,)
    clock.tick(3600)
    assert kept(questions, "ab") == "b"


@pytest.mark.parametrize("years", [-10, 0, 50], ids=["a clock behind", "an old one", "ahead"])
def test_a_file_of_0_1_0_is_opened_kept_and_used(
    open_questions: Open, tmp_path: Path, clock: Clock, years: int
) -> None:
    (tmp_path / "questions").mkdir()
    shutil.copy(ROOT / "tests/golden/data_0.1.0/questions.sqlite", tmp_path / "questions")
    clock.jump(years * YEAR)
    questions = open_questions(share=0.25)
    assert all(questions.get(name) for name in OLD_IDS)
    questions.put("new", b"new", "somebody")
    for _ in range(3):
        clock.tick(DAY)
        assert all(questions.get(name) for name in (*OLD_IDS, "new"))
    with closing(sqlite3.connect(questions.path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_file_of_0_2_0_keeps_its_questions_their_clients_and_their_days(
    open_questions: Open, tmp_path: Path, clock: Clock
) -> None:
    path = tmp_path / "questions/questions.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as old:
        old.executescript(SCHEMA_0_2_0)
        for client, name, days in [("", "a", 20), ("one", "b", 1), ("two", "b", 9)]:
            used = clock.wall - days * DAY
            old.execute("INSERT OR IGNORE INTO questions VALUES (?, ?, 7)", (name, name.encode()))
            old.execute("INSERT INTO keepers VALUES (?, ?, 1, ?)", (client, name, used))
        old.execute("INSERT INTO lived VALUES (?, ?)", (clock.wall, clock.wall))
        old.commit()
    questions = open_questions(expiry_seconds=30 * DAY)
    assert questions.get("b") == b"b"
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT id, client FROM links ORDER BY 1, 2").fetchall()
    assert rows == [("a", ""), ("b", "one"), ("b", "two")]
    clock.tick(11 * DAY)
    assert kept(questions, "ab") == "b"


def test_a_file_of_a_later_release_is_used_where_it_fits(open_questions: Open) -> None:
    questions = open_questions()
    questions.put("a", b"x")
    questions.close()
    with closing(sqlite3.connect(questions.path)) as db, db:
        db.execute("PRAGMA user_version = 7")
        db.execute("ALTER TABLE links ADD COLUMN language TEXT")
    questions.put("b", b"y")
    assert kept(questions, "ab") == "ab"
    with closing(sqlite3.connect(questions.path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (7,)


@pytest.mark.parametrize(
    "table",
    [
        "questions (name TEXT)",
        "links (name TEXT)",
        "links (id TEXT, client TEXT, question BLOB, used REAL, more TEXT NOT NULL)",
        "lived (name TEXT)",
    ],
)
def test_a_file_of_a_later_release_that_does_not_fit_is_set_aside(
    open_questions: Open, tmp_path: Path, table: str
) -> None:
    path = tmp_path / "questions/questions.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"CREATE TABLE {table}")
    questions = open_questions()
    questions.put("a", b"x")
    assert questions.get("a") == b"x"
    with closing(sqlite3.connect(path.with_name("questions.sqlite.broken"))) as db:
        name = table.partition(" ")[0]
        assert db.execute(f"SELECT count(*) FROM {name}").fetchone() == (0,)


def test_a_question_is_one_row_of_a_plain_sqlite_file(open_questions: Open, tmp_path: Path) -> None:
    open_questions().put("a1", b'{"text":"a"}')
    with closing(sqlite3.connect(tmp_path / "questions/questions.sqlite")) as db:
        assert db.execute("SELECT id, question FROM links").fetchall() == [("a1", b'{"text":"a"}')]
