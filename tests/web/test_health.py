"""/healthz, /readyz, /metrics: for machines that look after the server."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from attnscope.web.health import Readiness, ReadinessState
from tests.web.client import problem_of, refused, run_async, stored
from tests.web.conftest import MakeClient


def test_health_is_never_kept(client: TestClient, subtests: pytest.Subtests) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        with subtests.test(path):
            response = client.get(path)
            assert response.status_code == 200
            assert response.headers["cache-control"] == "no-store"


def test_a_process_that_answers_lives(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


def test_a_server_is_ready_when_it_can_keep_and_answer(make_client: MakeClient, data: Path) -> None:
    client = make_client()
    assert client.get("/readyz").json() == {"status": "ok", "store": True, "engine": True}
    assert stored(data) == ([], 0)


def test_a_server_that_cannot_keep_uploads_is_not_ready(
    make_client: MakeClient, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    client = make_client(tmp_path / "file")
    request = {"method": "GET", "url": "/readyz"}
    assert "false" in refused(client, request, 503, "busy")["detail"].lower()
    response = client.get("/readyz")
    problem_of(response, 503, "busy")
    assert int(response.headers["retry-after"]) >= 1
    assert client.get("/healthz").status_code == 200
    assert client.post("/api/v1/attention", json={"text": "a"}).status_code == 200


def test_a_broken_file_of_questions_is_logged_once_and_set_aside(
    make_client: MakeClient, data: Path
) -> None:
    data.mkdir()
    (data / "questions.sqlite").write_bytes(b"no database " * 1000)
    client = make_client()
    response = client.get("/readyz")
    assert "links can be kept: False" in problem_of(response, 503, "busy")["detail"]
    assert client.get("/readyz").status_code == 200
    assert (data / "questions.sqlite.broken").exists()


def test_a_file_of_questions_that_cannot_be_opened_or_is_held_is_not_ready(
    make_client: MakeClient, data: Path
) -> None:
    (data / "questions.sqlite").mkdir(parents=True)
    client = make_client()
    for _ in range(2):
        detail = problem_of(client.get("/readyz"), 503, "busy")["detail"]
        assert "links can be kept: False" in detail
        assert "uploads can be kept: True" in detail
    (data / "questions.sqlite").rmdir()
    assert client.get("/readyz").status_code == 200
    (data / "questions.sqlite").unlink()
    assert client.get("/readyz").status_code == 200, "a new one was begun"
    with closing(sqlite3.connect(data / "questions.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")
        problem_of(client.get("/readyz"), 503, "busy")
    assert stored(data) == ([], 0)


def test_however_many_ask_one_looks() -> None:
    looks: list[None] = []
    go_on = threading.Event()

    class Slow(Readiness):
        def _look(self) -> ReadinessState:
            looks.append(None)
            go_on.wait(30)
            return ReadinessState(True, True, True)

    async def ask() -> list[ReadinessState]:
        readiness = Slow(None)
        asked = [asyncio.create_task(readiness.look()) for _ in range(100)]
        await asyncio.sleep(0.05)
        asked.pop(0).cancel()
        go_on.set()
        return [*await asyncio.gather(*asked), await readiness.look()]

    assert run_async(ask()) == [ReadinessState(True, True, True)] * 100
    assert len(looks) == 2


def test_metrics_count_requests_and_the_bytes_of_traces(make_client: MakeClient) -> None:
    client = make_client()
    assert "attnscope_trace_bytes 0.0" in client.get("/metrics").text
    client.post("/api/v1/attention", json={"text": "a"})
    response = client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    assert "attnscope_trace_bytes 0.0" not in response.text
    assert 'method="POST"' in response.text
    assert "attnscope_request_seconds_bucket" in response.text
