"""Questions on disk: kept for every worker, bounded, forgotten when old."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from app.errors import StorageFull
from app.trace import questions as room
from app.trace.questions import DAY, Questions

Open = Callable[..., Questions]


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


def test_the_least_recently_used_make_room(open_questions: Open, clock: list[float]) -> None:
    quota, size, many = 10_000, 100, 1200
    questions = open_questions(quota_bytes=quota)
    for i in range(many):
        clock[0] += 1
        questions.put(f"{i:032x}", bytes(size))
    kept = [i for i in range(many) if questions.get(f"{i:032x}") is not None]
    assert kept == list(range(many - len(kept), many))
    assert 0.8 * quota <= len(kept) * size <= 1.05 * quota


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


def test_a_question_is_one_row_of_a_plain_sqlite_file(open_questions: Open, tmp_path: Path) -> None:
    open_questions().put("a1", b'{"text":"a"}')
    with closing(sqlite3.connect(tmp_path / "questions/questions.sqlite")) as db:
        assert db.execute("SELECT id, question FROM questions").fetchall() == [
            ("a1", b'{"text":"a"}')
        ]
