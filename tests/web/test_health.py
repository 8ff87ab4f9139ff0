"""/healthz, /readyz, /metrics: for machines that look after the server."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.client import refused, stored, told
from tests.web.conftest import MakeClient


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_health_is_never_kept(client: TestClient, path: str) -> None:
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
    told(response, 503, "busy")
    assert int(response.headers["retry-after"]) >= 1
    assert client.get("/healthz").status_code == 200
    assert client.post("/api/v1/attention", json={"text": "a"}).status_code == 200


def test_metrics_count_requests_and_the_bytes_of_traces(make_client: MakeClient) -> None:
    client = make_client()
    assert "attnscope_trace_bytes 0.0" in client.get("/metrics").text
    client.post("/api/v1/attention", json={"text": "a"})
    response = client.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    assert "attnscope_trace_bytes 0.0" not in response.text
    assert 'method="POST"' in response.text
    assert "attnscope_request_seconds_bucket" in response.text
