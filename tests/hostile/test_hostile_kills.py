"""kill −9 in the middle of a write: what was there is there, what came is whole or not there."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from attnscope.storage.manifest import ReceivedUpload
from attnscope.storage.questions import QuestionStore
from attnscope.storage.uploads import UploadStore

ROOT = Path(__file__).resolve().parents[2]
# Uploads in folders 1, 2, 3 …; the n-th dies before its n-th call of the system, until one lives.
UPLOADS = """
import os, signal, sys
from pathlib import Path
from attnscope.storage.manifest import ReceivedUpload
from attnscope.storage.uploads import UploadStore

def dying(does):
    def step(*arguments, **named):
        global left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return does(*arguments, **named)
    return step

for n in range(1, 100):
    if not os.fork():
        store, left = UploadStore(Path(sys.argv[1]) / str(n), 1 << 30, 1e9), n
        store.put(ReceivedUpload([("w", b"before")], "before"))
        for name in ("fsync", "open", "rename", "utime", "mkdir"):
            setattr(os, name, dying(getattr(os, name)))
        store.put(ReceivedUpload([("a.npz", b"1" * 100_000), ("b.npz", b"2" * 100_000)], "new"))
        os._exit(0)
    if not os.wait()[1]:
        break
print(n)
"""
# Links one after the other, each printed once it is stored.
LINKS = """
import sys
from pathlib import Path
from attnscope.storage.questions import QuestionStore
questions = QuestionStore(Path(sys.argv[1]), 1 << 24, 1e9, 0.25)
for i in range(10**6):
    questions.put(f"{i:032x}", b"x" * 500, f"client {i % 3}")
    print(i, flush=True)
"""


def test_a_kill_at_any_step_of_an_upload_leaves_it_whole_or_not_there(tmp_path: Path) -> None:
    command = [sys.executable, "-c", UPLOADS, str(tmp_path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    survivor = int(run.stdout)
    assert 10 < survivor < 40
    new = ReceivedUpload([("a.npz", b"1" * 100_000), ("b.npz", b"2" * 100_000)], "new")
    found = []
    for step in range(1, survivor + 1):
        folder = tmp_path / str(step)
        store = UploadStore(folder, 1 << 30, 1e9)
        names = {path.name for path in folder.iterdir() if path.name[0] != "."}
        before = store.put(ReceivedUpload([("w", b"before")], "before"))
        assert before in names
        assert all(store.get(name) == new for name in names - {before})
        found.append(len(names) - 1)
        name = store.put(new)
        assert names <= {before, name}
        assert store.get(name) == new
        files = {path.name for path in folder.iterdir()}
        assert files == {before, name, ".lock", ".secret", ".lived"}, "no leftover stays"
    assert found == sorted(found), "there from one step on"
    assert (found[0], found[-1]) == (0, 1)


def test_a_kill_while_links_are_kept_loses_none_that_was_answered(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LINKS, str(tmp_path)]
    acknowledged = 0
    for _ in range(3):
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(200):
                acknowledged = max(acknowledged, int(process.stdout.readline()))
            process.kill()
    with closing(QuestionStore(tmp_path, 1 << 24, 1e9)) as questions:
        assert all(questions.get(f"{i:032x}") == b"x" * 500 for i in range(acknowledged + 1))
    with closing(sqlite3.connect(tmp_path / "questions.sqlite")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
