"""Questions on disk: kept for every worker, bounded, forgotten when old."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from app.errors import StorageFull
from app.trace import questions as room
from app.trace.questions import DAY, ROW_BYTES, Questions

Open = Callable[..., Questions]
ROOT = Path(__file__).resolve().parents[2]
GARBAGE = b"no database " * 1000


@pytest.fixture
def open_questions(tmp_path: Path) -> Iterator[Open]:
    opened: list[Questions] = []

    def open_one(quota_bytes: int = 1 << 20, expiry_seconds: float = 30 * DAY) -> Questions:
        opened.append(Questions(tmp_path / "questions", quota_bytes, expiry_seconds))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, in a list so that a test can move it."""
    now = [1e9]
    monkeypatch.setattr(room.time, "time", lambda: now[0])
    return now


def test_a_question_is_there_for_every_worker_and_after_a_restart(open_questions: Open) -> None:
    one, two = open_questions(), open_questions()
    one.put("a1", b"first")
    assert two.get("a1") == b"first"
    one.close()
    assert one.get("a1") == b"first"
    assert one.get("b2") is None


def test_another_process_knows_it_at_once(open_questions: Open, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from app.trace.questions import Questions;"
        "there = Questions(Path(sys.argv[1]), 1 << 20, 1e6);"
        "there.put('b2', there.get('a1') + b' and back'); there.close()"
    )
    questions = open_questions()
    questions.put("a1", b"there")
    command = [sys.executable, "-c", code, str(tmp_path / "questions")]
    subprocess.run(command, cwd=ROOT, check=True)
    assert questions.get("b2") == b"there and back"


def test_an_expired_question_is_gone_and_reading_keeps_one_young(
    open_questions: Open, clock: list[float]
) -> None:
    questions = open_questions(expiry_seconds=10 * DAY)
    questions.put("a1", b"read")
    questions.put("b2", b"left alone")
    clock[0] += 6 * DAY
    assert questions.get("a1") == b"read"
    clock[0] += 6 * DAY
    assert questions.get("a1") == b"read"
    assert questions.get("b2") is None


@pytest.mark.parametrize("expiry_seconds", [10 * DAY, 10.0])
def test_a_question_that_is_asked_again_is_young_again(
    open_questions: Open, clock: list[float], expiry_seconds: float
) -> None:
    questions = open_questions(expiry_seconds=expiry_seconds)
    for _ in range(4):
        questions.put("a1", b"again")
        clock[0] += 0.6 * expiry_seconds
    assert questions.get("a1") == b"again"


def test_an_altered_question_is_right_once_it_is_asked_again(
    open_questions: Open, tmp_path: Path
) -> None:
    questions = open_questions()
    questions.put("a1", b"right")
    with closing(sqlite3.connect(tmp_path / "questions/questions.sqlite")) as db, db:
        db.execute("UPDATE questions SET question = 'text, no bytes'")
    assert questions.get("a1") == b"text, no bytes"
    questions.put("a1", b"right")
    assert questions.get("a1") == b"right"


def test_the_least_recently_used_make_room(open_questions: Open, clock: list[float]) -> None:
    quota, size, many = 10_000, 100, 300
    questions = open_questions(quota_bytes=quota)
    for i in range(many):
        clock[0] += 1
        questions.put(f"{i:032x}", bytes(size))
    kept = [i for i in range(many) if questions.get(f"{i:032x}") is not None]
    assert kept == list(range(many - len(kept), many))
    assert 0.8 * quota <= len(kept) * (size + ROW_BYTES) <= 1.05 * quota


def test_reading_saves_a_question_from_making_room(
    open_questions: Open, clock: list[float]
) -> None:
    questions = open_questions(quota_bytes=10 * ROW_BYTES)
    for name in "abc":
        questions.put(name, bytes(2 * ROW_BYTES))
        clock[0] += 2 * DAY
    questions.get("a")
    questions.put("d", bytes(2 * ROW_BYTES))
    assert [name for name in "abcd" if questions.get(name)] == ["a", "c", "d"]


def test_what_is_larger_than_the_quota_is_refused_and_takes_nobodys_room(
    open_questions: Open,
) -> None:
    questions = open_questions(quota_bytes=1000)
    questions.put("a1", b"small")
    with pytest.raises(StorageFull):
        questions.put("b2", bytes(1001))
    assert questions.get("a1") == b"small"


def test_threads_share_one_connection(open_questions: Open) -> None:
    questions = open_questions()

    def work(thread: int) -> bool:
        for i in range(20):
            questions.put(f"{thread}-{i}", b"x")
        return all(questions.get(f"{thread}-{i}") == b"x" for i in range(20))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    questions = Questions(tmp_path / "file/questions", 1 << 20, DAY)
    with pytest.raises(StorageFull) as error:
        questions.put("a1", b"x")
    assert (error.value.code, error.value.reason) == ("storage_full", "questions")


def test_a_file_that_cannot_be_opened_is_told_and_left_alone(
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


def test_a_full_disk_is_told_and_can_still_be_read(
    open_questions: Open, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "SCHEMA", f"{room.SCHEMA} PRAGMA max_page_count = 8;")
    questions = open_questions()
    questions.put("a1", b"small")
    with pytest.raises(StorageFull) as error:
        questions.put("b2", bytes(100_000))
    assert "full" in str(error.value.values["cause"])
    clock[0] += 2 * DAY
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
    questions.put("a1", b"again")
    assert open_questions().get("a1") == b"again"


def test_a_question_is_one_row_of_a_plain_sqlite_file(open_questions: Open, tmp_path: Path) -> None:
    open_questions().put("a1", b'{"text":"a"}')
    with closing(sqlite3.connect(tmp_path / "questions/questions.sqlite")) as db:
        assert db.execute("SELECT id, question FROM questions").fetchall() == [
            ("a1", b'{"text":"a"}')
        ]
