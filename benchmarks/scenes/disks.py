"""Disk full or read-only; questions.sqlite locked, damaged, deleted."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from benchmarks.scenes.kills import checkpoint
from benchmarks.scenes.outcome import (
    ATTENTION,
    MODELS,
    TRACES,
    Outcome,
    ask,
    check_rest,
    check_stop,
    small,
    watched,
)
from benchmarks.scenes.requests import MULTIPART
from benchmarks.served import Served

Start = Callable[..., Served]
SMALL_DISK = "6m"
SMALL_FILE = 150_000  # bytes a file may have, if no disk can be mounted


@contextmanager
def disk_of_its_own(data: Path) -> Iterator[bool]:
    """Mounts a small disk at `data`, if allowed."""
    data.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", str(data)]
    mounted = os.geteuid() == 0 and subprocess.run(mount, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(data)], check=True)


def remount(data: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(data)], check=True)


def link(server: Served, outcome: Outcome, text: str) -> str:
    """Address of a new trace."""
    answer = ask(server, "POST", TRACES, {"text": text})
    outcome.must(answer.status == 201, f"a link got {answer}")
    return f"{TRACES}/{json.loads(answer.body).get('trace')}"


def upload(server: Served, seed: int) -> tuple[str, int]:
    """Code or id, and status."""
    answer = ask(server, "POST", MODELS, checkpoint(seed), MULTIPART)
    return answer.code or json.loads(answer.body or b"{}").get("id", ""), answer.status


def full(start: Start, folder: Path) -> Iterator[Outcome]:
    """Uploads get 507; everything that needs no room is answered."""
    data = folder / "full" / "data"
    with disk_of_its_own(data) as mounted:
        limit = None if mounted else SMALL_FILE
        with start(folder / "full", file_size=limit) as server:
            with watched(server, "a full disk") as outcome:
                kept = link(server, outcome, "kept before")
                statuses = []
                for seed in range(12):
                    what, status = upload(server, seed)
                    statuses.append(f"{status} {what}" if status != 201 else "201")
                    outcome.sent += len(checkpoint(seed))
                outcome.answers += sorted(set(statuses))
                outcome.must("507 storage_full" in statuses, "an upload beyond the room was taken")
                for seed in range(40):  # until links do not fit either
                    body = {"text": f"{'long' * 2500}{seed}"}
                    answer = ask(server, "POST", TRACES, body)
                    outcome.must(answer.status in (201, 507), f"a link got {answer}")
                    outcome.answers.append(str(answer))
                _still_answers(server, outcome, kept)
            check_rest(server, outcome)
            if mounted:
                remount(data, "size=64m")
                _, status = upload(server, 100)
                outcome.must(status == 201, "no upload after room was made")
            check_stop(server, outcome)
    yield outcome


def read_only(start: Start, folder: Path) -> Iterator[Outcome]:
    """On a disk that became read-only: stored entries are read, new ones refused."""
    data = folder / "read_only" / "data"
    with disk_of_its_own(data) as mounted, start(folder / "read_only") as server:
        outcome = Outcome("")
        kept, (model, _) = link(server, outcome, "kept before"), upload(server, 1)
        server.stop()
        forbid(data, mounted)
        server.start()
        with watched(server, "a read-only disk") as outcome:
            answers = [ask(server, "POST", MODELS, checkpoint(2), MULTIPART)]
            answers.append(ask(server, "POST", TRACES, {"text": "new"}))
            answers.append(ask(server, "DELETE", f"{MODELS}/{model}"))
            outcome.answers += map(str, answers)
            outcome.must(all(answer.status == 507 for answer in answers), "not all are 507")
            question = {"text": "The cat", "model": {"source": "uploaded", "id": model}}
            answer = ask(server, "POST", ATTENTION, question)
            outcome.must(answer.status == 200, f"a question to the upload got {answer}")
            _still_answers(server, outcome, kept)
            ready = ask(server, "GET", "/readyz")
            outcome.must(ready.status == 503, f"/readyz says {ready.status}")
        check_rest(server, outcome)
        check_stop(server, outcome)
        if mounted:
            remount(data, "rw")
        else:
            for path in (data, data / "models"):
                path.chmod(0o700)
    yield outcome


def forbid(data: Path, mounted: bool) -> None:
    """Forbid writing."""
    if mounted:
        remount(data, "ro")
    else:
        for path in (data / "models", data):
            path.chmod(0o500)


def _still_answers(server: Served, outcome: Outcome, kept: str) -> None:
    for answer in (small(server), ask(server, "GET", kept), ask(server, "GET", "/")):
        outcome.must(answer.status == 200, f"what needs no room got {answer}")


def locked(start: Start, folder: Path) -> Iterator[Outcome]:
    """Another program holds questions.sqlite."""
    with start(folder / "locked") as server:
        with watched(server, "a locked questions.sqlite") as outcome:
            kept = link(server, outcome, "kept before")
            with closing(sqlite3.connect(server.data / "questions.sqlite")) as other:
                other.execute("BEGIN EXCLUSIVE")
                other.execute("DELETE FROM links")
                for i in range(5):
                    answer = ask(server, "POST", TRACES, {"text": f"new {i}"})
                    outcome.answers.append(str(answer))
                    outcome.must(answer.status == 503, f"a link got {answer}")
                    outcome.must(answer.retry_after is not None, "no Retry-After")
                    outcome.must(answer.seconds < 2, f"a link waited {answer.seconds:.1f} s")
                answer = small(server)
                outcome.must(answer.status == 200, f"a small question got {answer}")
                other.execute("ROLLBACK")
        time.sleep(2)  # as Retry-After said
        link(server, outcome, "after it")
        answer = ask(server, "GET", kept)
        outcome.must(answer.status == 200, f"the link from before got {answer}")
        check_rest(server, outcome)
        with closing(sqlite3.connect(server.data / "questions.sqlite")) as other:
            other.execute("BEGIN EXCLUSIVE")
            check_stop(server, outcome)
    yield outcome


def damaged(start: Start, folder: Path) -> Iterator[Outcome]:
    """Pages are overwritten while the server runs, then before it starts."""
    with start(folder / "damaged") as server:
        with watched(server, "a damaged questions.sqlite") as outcome:
            link(server, outcome, "before")
            _damage(server)
            answers = [ask(server, "POST", TRACES, {"text": f"new {i}"}) for i in range(5)]
            outcome.answers += map(str, answers)
            outcome.must(all(each.allowed for each in answers), "a link got an error")
            answer = small(server)
            outcome.must(answer.status == 200, f"a small question got {answer}")
        server.kill()
        _damage(server)
        server.start()
        link(server, outcome, "after the start")
        check_rest(server, outcome)
        check_stop(server, outcome)
    yield outcome


def _damage(server: Served) -> None:
    for path in server.data.glob("questions.sqlite*"):
        with path.open("r+b") as file:
            file.write(b"damaged " * (path.stat().st_size // 8))


def deleted(start: Start, folder: Path) -> Iterator[Outcome]:
    with start(folder / "deleted") as server:
        with watched(server, "a deleted questions.sqlite") as outcome:
            link(server, outcome, "before")
            for path in server.data.glob("questions.sqlite*"):
                path.unlink()
            kept = link(server, outcome, "after")
            answer = ask(server, "GET", kept)
            outcome.answers.append(str(answer))
            outcome.must(answer.status == 200, f"the new link got {answer}")
        check_rest(server, outcome)
        check_stop(server, outcome)
        server.start()
        answer = ask(server, "GET", kept)
        outcome.must(answer.status == 200, f"after a restart the new link got {answer}")
    yield outcome
