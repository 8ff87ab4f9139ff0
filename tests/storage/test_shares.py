"""Shares of the question store: one client's links, and what makes room in them."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from tests.clock import Clock
from tests.storage.conftest import WHOLE, Open
from tests.storage.kept import kept


def test_a_client_over_its_share_loses_its_own_oldest_and_nobody_elses(
    open_questions: Open, clock: Clock
) -> None:
    questions = open_questions(quota_bytes=40 * WHOLE, share=0.25)
    for name in "ab":
        questions.put(name, b"", "quiet")
        clock.tick(1)
    for name in "cdefghijklmnopqrstuvwxyz":
        questions.put(name, b"", "greedy")
        clock.tick(1)
    left = kept(questions, "abcdefghijklmnopqrstuvwxyz")
    assert left.startswith("ab")
    assert left.endswith("z")
    assert "cdefghijklmnopqrstuvwxyz".endswith(left[2:]), "the oldest of its own go first"
    assert 9 <= len(left) - 2 <= 10


def test_what_another_client_keeps_too_stays(open_questions: Open, clock: Clock) -> None:
    questions = open_questions(quota_bytes=40 * WHOLE, share=0.25)
    questions.put("a", b"", "greedy")
    questions.put("b", b"", "")
    for name in "ab":
        questions.put(name, b"", "quiet" if name == "a" else "greedy")
    for i in range(100):
        clock.tick(1)
        questions.put(f"{i:032x}", b"", "greedy")
    assert kept(questions, "ab") == "ab"


def test_all_clients_together_stay_within_the_quota(open_questions: Open, clock: Clock) -> None:
    questions = open_questions(quota_bytes=40 * WHOLE, share=0.25)
    for i in range(200):
        clock.tick(1)
        questions.put(f"{i:032x}", b"", f"client {i % 8}")
    left = [i for i in range(200) if questions.get(f"{i:032x}") is not None]
    assert left == list(range(200 - len(left), 200))
    assert 30 <= len(left) <= 42


def test_one_question_of_very_many_clients_is_counted_for_each(
    open_questions: Open, clock: Clock
) -> None:
    questions = open_questions(quota_bytes=40 * WHOLE, share=0.25)
    for i in range(500):
        clock.tick(1)
        questions.put("a", b"", f"client {i}")
    with closing(sqlite3.connect(questions.path)) as db:
        (rows,) = db.execute("SELECT count(*) FROM links").fetchone()
    assert rows <= 42
    assert questions.get("a") == b""


def test_a_file_far_over_the_quota_shrinks_with_every_question(
    open_questions: Open, clock: Clock
) -> None:
    before = open_questions(quota_bytes=1000 * WHOLE)
    for i in range(200):
        before.put(f"{i:032x}", b"", "somebody")
        clock.tick(1)
    before.close()
    questions = open_questions(quota_bytes=100 * WHOLE)
    counts = []
    for i in range(200, 400):
        questions.put(f"{i:032x}", b"", "somebody")
        clock.tick(1)
        with closing(sqlite3.connect(questions.path)) as db:
            counts += db.execute("SELECT count(*) FROM links").fetchone()
    assert max(counts) == counts[0] > 190, "no question waits until all the room is made"
    assert max(counts[30:]) <= 101
    left = [i for i in range(400) if questions.get(f"{i:032x}") is not None]
    assert left == list(range(400 - len(left), 400))
