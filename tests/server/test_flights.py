"""What a killed process leaves: the ids of the requests that it had in hand."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from attnscope.serving.flights import NOTES, Flights, log_killed_processes
from tests.hostile.sockets import HALF, PATIENCE, connect, eventually, get, reply
from tests.server.test_guard import POST
from tests.serving import PRELOADED, ROOT, Running, running

BEGUN = POST.replace(b"\r\n\r\n", b"\r\n") + b"Content-Length: 40\r\nX-Request-ID: in-hand\r\n\r\n{"
DIES = """
import os, sys; from pathlib import Path; from attnscope.serving.flights import Flights
flights = Flights(Path(sys.argv[1])); flights.end(flights.begin("done", "GET"))
flights.begin("one", "GET"); flights.begin("x" * 64, "OPTIONS"); os._exit(9)
"""


def lines(server: Running) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in server.log.splitlines() if line.startswith("{")]


def killed(folder: Path) -> None:
    subprocess.run([sys.executable, "-c", DIES, str(folder)], cwd=ROOT, timeout=120, check=False)


def test_the_next_one_logs_the_ids_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    killed(tmp_path)
    log_killed_processes(tmp_path)
    log_killed_processes(tmp_path)
    (records,) = caplog.records
    assert records.levelno == logging.ERROR
    assert sorted(records.__dict__["fields"]["ids"]) == ["one", "x" * 64]
    assert list(tmp_path.iterdir()) == []


def test_the_living_are_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    flights = Flights(tmp_path)
    note = flights.begin("one", "GET")
    program = "import sys; from pathlib import Path; from attnscope.serving.flights import *; " \
        "log_killed_processes(Path(sys.argv[1]))"  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, capture_output=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, b"")
    flights.end(note)
    assert flights.close() == []
    assert list(tmp_path.iterdir()) == []


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    names = ["x.flight", "1-notes.flight", "-0123abcd.flight"]
    for name in names:
        (tmp_path / name).write_text("of another program")
    log_killed_processes(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)


def test_more_requests_than_notes_are_no_matter(tmp_path: Path) -> None:
    flights = Flights(tmp_path)
    notes = [flights.begin(str(n), "GET") for n in range(NOTES + 5)]
    assert notes.count(-1) == 5
    for note in notes:
        flights.end(note)
    assert flights.begin("again", "GET") >= 0
    assert flights.close() == ["again"]


def test_where_nothing_can_be_written_there_are_no_notes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder")
    flights = Flights(tmp_path / "file")
    flights.end(flights.begin("one", "GET"))
    assert flights.close() == []
    assert "not noted" in caplog.text


def test_the_next_start_logs_the_ids_that_a_killed_server_was_answering(tmp_path: Path) -> None:
    with running(PRELOADED, tmp_path) as server, connect(server.port) as client:
        client.sendall(BEGUN)
        notes = tmp_path / "data/run"
        assert eventually(lambda: b"in-hand" in b"".join(p.read_bytes() for p in notes.iterdir()))
        server.process.kill()
        server.process.wait(PATIENCE)
    with running(PRELOADED, tmp_path) as server:
        assert eventually(lambda: ids_of_the_dead(server) == [["in-hand"]])


def ids_of_the_dead(server: Running) -> list[list[str]]:
    """The requests that a killed process had in hand, as the log has them."""
    return [line["ids"] for line in lines(server) if line["message"] == "a process was killed"]


def test_every_request_and_every_refusal_has_its_line_and_none_has_a_text(tmp_path: Path) -> None:
    secret = "nobody-reads-this"
    with running(PRELOADED, tmp_path, header_seconds=0.5, models_mb=0, api_keys=secret) as server:
        ids: dict[str, int] = {}
        body = orjson.dumps({"text": secret})
        key = f"Host: 127.0.0.1\r\nAuthorization: Bearer {secret}".encode()
        form = (
            b'--b\r\nContent-Disposition: form-data; name="weights"; filename="w.json"\r\n\r\n'
            b'{"w_q": [[1]], "w_k": [[1]], "w_v": [[1]]}\r\n--b--\r\n'
        )
        upload = get("/api/v1/models", "POST", form)
        upload = upload.replace(b"application/json", b"multipart/form-data; boundary=b")
        for data in (
            get("/healthz"),
            get(f"/{secret}?text={secret}"),
            get("/api/v1/attention", "POST", body),
            get("/api/v1/attention", "POST", body).replace(b"Host: 127.0.0.1", key),
            get("/api/v1/attention?x=" + secret, "POST", body).replace(b"127.0.0.1", b"a.example"),
            upload.replace(b"Host: 127.0.0.1", key),
            HALF,
            b"nonsense\r\n\r\n",
        ):
            with connect(server.port) as client:
                client.sendall(data)
                answer = reply(client)
                ids[answer.headers["x-request-id"]] = answer.status
        assert {200, 400, 401, 408, 421, 507} <= set(ids.values())
        assert eventually(lambda: ids.items() <= {one.get("id"): one.get("status")
                                                   for one in lines(server)}.items())  # fmt: skip
        assert secret not in server.log
        whole = next(one for one in lines(server) if one.get("status") == 507)
        assert whole["level"] == "warning"
        assert whole["problem"].startswith("storage_full.")
        assert (whole["method"], whole["route"]) == ("POST", "/api/v1/models")
        assert whole["bytes"] > 100
