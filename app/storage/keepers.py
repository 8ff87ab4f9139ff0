"""Who keeps which question, since when: rows beside the questions, from which room is made.

A question goes when nobody keeps it any more. `used` is lived time (weights.lived_time); the
client "" is nobody in particular, and keeps whatever an older release writes: triggers of the file
see to that, for they act under every release.
"""

from __future__ import annotations

import sqlite3

# Bytes beyond a question's own: its id, its index, room in its page; and one row of a keeper.
ROW_BYTES, KEEPER_BYTES = 200, 150
SIZE = f"length(question) + {ROW_BYTES}"
TABLES = f"""
CREATE TABLE IF NOT EXISTS keepers (
    client TEXT, question TEXT, bytes INTEGER NOT NULL, used REAL NOT NULL,
    PRIMARY KEY (client, question)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_question ON keepers (question, used);
CREATE TABLE IF NOT EXISTS lived (seconds REAL NOT NULL, wall REAL NOT NULL);
CREATE TRIGGER IF NOT EXISTS question_comes AFTER INSERT ON questions
WHEN NOT EXISTS (SELECT 1 FROM keepers WHERE question = new.id) BEGIN
    INSERT INTO keepers (client, question, bytes, used)
    SELECT '', new.id, length(new.question) + {ROW_BYTES}, seconds FROM lived;
END;
CREATE TRIGGER IF NOT EXISTS question_goes AFTER DELETE ON questions BEGIN
    DELETE FROM keepers WHERE question = old.id;
END;
"""
# A release before there were keepers left no lived time: its questions begin anew, in their order.
ADOPT = f"""
INSERT OR IGNORE INTO keepers (client, question, bytes, used)
SELECT '', id, {SIZE}, :lived - 3600 * (newest - used) / (newest - oldest + 1)
FROM questions, (SELECT max(used) AS newest, min(used) AS oldest FROM questions)
"""
KEEP = """
INSERT INTO keepers (client, question, bytes, used) VALUES (?, ?, ?, ?)
ON CONFLICT (client, question) DO UPDATE SET bytes = excluded.bytes, used = excluded.used
"""
OLDEST = "SELECT question, max(bytes) FROM keepers GROUP BY question ORDER BY max(used)"
OLDEST_OF = "SELECT question, bytes FROM keepers WHERE client = ? ORDER BY used"
UNUSED = "SELECT question FROM keepers GROUP BY question HAVING max(used) < ?"
UNKEPT = """
DELETE FROM questions WHERE id = ? AND NOT EXISTS (SELECT 1 FROM keepers WHERE question = id)
"""


def adopt(db: sqlite3.Connection, lived: float) -> None:
    """Lets nobody in particular keep every question there is, used just now."""
    db.execute(ADOPT, {"lived": lived})


def keeps(db: sqlite3.Connection, client: str, question: str) -> bool:
    row = db.execute(
        "SELECT 1 FROM keepers WHERE client = ? AND question = ?", (client, question)
    ).fetchone()
    return row is not None


def keep(db: sqlite3.Connection, client: str, question: str, size: int, lived: float) -> None:
    """The client keeps a question of `size` bytes, used just now."""
    db.execute(KEEP, (client, question, size, lived))


def touch(db: sqlite3.Connection, question: str, lived: float) -> None:
    """Whoever uses a question keeps it young for all."""
    db.execute("UPDATE keepers SET used = ? WHERE question = ?", (lived, question))


def taken(db: sqlite3.Connection) -> int:
    """Bytes of all questions and their keepers."""
    (questions,) = db.execute(f"SELECT total({SIZE}) FROM questions").fetchone()
    (keepers,) = db.execute("SELECT count(*) FROM keepers").fetchone()
    return int(questions) + KEEPER_BYTES * int(keepers)


def taken_by(db: sqlite3.Connection, client: str) -> int:
    """Bytes of the questions that one client keeps, alone or with others."""
    (size,) = db.execute(
        f"SELECT total(bytes + {KEEPER_BYTES}) FROM keepers WHERE client = ?", (client,)
    ).fetchone()
    return int(size)


def release(db: sqlite3.Connection, client: str, surplus: int) -> int:
    """The client lets go of its least recently used, so many; what others keep too stays."""
    gone = _first(db.execute(OLDEST_OF, (client,)), surplus)
    db.executemany(
        "DELETE FROM keepers WHERE client = ? AND question = ?", [(client, one) for (one,) in gone]
    )
    db.executemany(UNKEPT, gone)
    return len(gone)


def evict(db: sqlite3.Connection, surplus: int) -> int:
    """The least recently used go, whoever keeps them; how many."""
    gone = _first(db.execute(OLDEST), surplus)
    _delete(db, gone)
    return len(gone)


def expire(db: sqlite3.Connection, before: float) -> None:
    """What nobody has used since `before` goes."""
    _delete(db, db.execute(UNUSED, (before,)).fetchall())


def _first(rows: sqlite3.Cursor, surplus: int) -> list[tuple[str]]:
    """As many of (question, bytes) as make up the surplus."""
    gone: list[tuple[str]] = []
    while surplus > 0 and (row := rows.fetchone()):
        gone.append(row[:1])
        surplus -= row[1] + KEEPER_BYTES
    return gone


def _delete(db: sqlite3.Connection, gone: list[tuple[str]]) -> None:
    db.executemany("DELETE FROM questions WHERE id = ?", gone)
