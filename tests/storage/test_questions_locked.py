"""Questions are read while somebody else writes."""

from __future__ import annotations

import sqlite3
from contextlib import closing

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
