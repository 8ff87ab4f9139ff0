"""Questions are read while another program writes, and where nothing can be written."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.clock import Clock
from tests.storage.conftest import DAY, Open


def test_a_question_is_read_while_the_file_is_locked_for_writing(
    open_questions: Open, clock: Clock
) -> None:
    questions = open_questions()
    questions.put("a1", b"first")
    with closing(sqlite3.connect(questions.path)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        clock.tick(2 * DAY)
        assert questions.get("a1") == b"first"


def test_a_read_only_disk_is_read_and_not_sound(
    open_questions: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = open_questions()
    before.put("a1", b"x")
    before.close()
    questions = open_questions()

    def refuse(path: Path, flags: int, mode: int = 0) -> int:
        raise OSError(errno.EROFS, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        assert questions.get("a1") == b"x"
        assert not questions.sound()
    assert questions.sound()


def test_a_time_that_is_no_number_costs_no_question(open_questions: Open) -> None:
    questions = open_questions()
    questions.put("a1", b"x")
    questions.close()
    with closing(sqlite3.connect(questions.path)) as db, db:
        db.execute("UPDATE lived SET seconds = 'once', wall = 'upon'")
    later = open_questions()
    later.put("b2", b"y")
    assert (later.get("a1"), later.get("b2")) == (b"x", b"y")
