"""A whole app on a disk in trouble: what can be answered is, the rest is refused in a sentence."""

from __future__ import annotations

import errno
import os
import resource
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from tests.web.client import (
    MODELS,
    TRACES,
    ask,
    matrices,
    posted,
    problem_of,
    refused,
    sent,
    serving_app,
    stored,
    upload,
)

TEXT = "The cat sat on the mat"


@contextmanager
def holding(path: Path) -> Iterator[None]:
    """Another program holds the file of questions whole."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("DELETE FROM links")
        yield
        other.execute("ROLLBACK")


def test_a_locked_file_of_questions_is_busy_and_hinders_links_alone(tmp_path: Path) -> None:
    with serving_app(tmp_path) as client:
        kept = client.post(TRACES, json={"text": "kept"}).json()["trace"]
    with serving_app(tmp_path) as client, holding(tmp_path / "questions.sqlite"):
        body = refused(client, posted({"text": TEXT}, TRACES), 503, "busy")
        assert "in use" in body["detail"]
        response = client.get(f"{TRACES}/{kept}")
        problem_of(response, 503, "busy")
        assert int(response.headers["retry-after"]) >= 1
        assert client.get("/healthz").status_code == 200
        trace = ask(client, text=TEXT)["trace"]
        assert client.get(f"{TRACES}/{trace}/cells/weights?row=0&col=0").status_code == 200
    with serving_app(tmp_path) as client:
        assert client.get(f"{TRACES}/{kept}").status_code == 200


def test_a_server_takes_its_data_from_the_eyes_of_others(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving_app(data) as client:
        client.post(TRACES, json={"text": TEXT})
    for path in (data, *data.rglob("*")):
        path.chmod(0o777)
    with serving_app(data) as client:
        client.post(TRACES, json={"text": "another"})
        assert (data / "questions.sqlite-wal").exists()
        for path in (data, *data.rglob("*")):
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """No file can grow beyond so many bytes: the system refuses as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("width", [300, 800], ids=["while it is kept", "while it comes"])
def test_an_upload_that_a_full_disk_cuts_short_leaves_nothing(tmp_path: Path, width: int) -> None:
    with serving_app(tmp_path) as client:
        kept = upload(client, matrices())
        before = stored(tmp_path)
        large = sent("w.safetensors", save(matrices(width, seed=1)))
        with full_disk(200_000):
            body = refused(client, large, 507, "storage_full")
            assert "disk" in body["detail"]
            assert client.get(f"{MODELS}/{kept['id']}").json() == kept
        assert stored(tmp_path) == before
        assert client.request(**large).status_code == 201


def test_a_full_disk_keeps_the_links_it_has_and_answers(tmp_path: Path) -> None:
    with serving_app(tmp_path) as client:
        kept = client.post(TRACES, json={"text": "kept"}).json()["trace"]
        long = {"x": np.random.default_rng(0).normal(size=(200, 64)).tolist()}
        with full_disk((tmp_path / "questions.sqlite-wal").stat().st_size):
            refused(client, posted(long, TRACES), 507, "storage_full")
            assert ask(client, **long)["trace"]
    with serving_app(tmp_path) as client:
        assert client.get(f"{TRACES}/{kept}").status_code == 200
        assert client.post(TRACES, json=long).status_code == 201


def test_a_disk_that_became_read_only_answers_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving_app(tmp_path) as client:
        kept = client.post(TRACES, json={"text": "kept"}).json()["trace"]
        model = upload(client, matrices())
    plain = os.open

    def read_only(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR) and str(path).startswith(str(tmp_path)):
            raise OSError(errno.EROFS, "Read-only file system")
        return plain(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", read_only)
    with serving_app(tmp_path) as client:
        assert client.get(f"{TRACES}/{kept}").status_code == 200
        assert client.get(f"{MODELS}/{model['id']}").json() == model
        refused(client, posted({"text": "new"}, TRACES), 507, "storage_full")
        refused(client, sent("w.safetensors", save(matrices(seed=1))), 507, "storage_full")
        assert ask(client, text="new")["trace"]
        problem_of(client.get("/readyz"), 503, "busy")
