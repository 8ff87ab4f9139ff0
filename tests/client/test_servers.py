"""The same client beside a real server, on an event loop, and in a process of its own."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attnscope
from attnscope.client import calls
from tests.client.conftest import SEEDED, TEXTS
from tests.families.made import gpt2
from tests.serving import PRELOADED, free_port, running


def posted(url: str, body: dict[str, Any]) -> dict[str, Any]:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/api/v1/attention", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return dict(json.load(reply))


def array(nested: list[Any]) -> np.ndarray:
    return np.array(json.loads(json.dumps(nested).replace("null", "-Infinity")))


def test_a_server_gives_the_numbers_of_its_json(live_server: str) -> None:
    reply = posted(live_server, {"text": TEXTS, "model": SEEDED})
    with attnscope.Client(f"{live_server}/") as client:
        assert repr(client) == f"<client of {live_server}>"
        trace = client.trace(TEXTS, SEEDED)
        assert [trace.id, trace.tokens, trace.shape] == [
            reply[name] for name in ("trace", "tokens", "shape")
        ]
        for layer, stages in zip(trace.layers, reply["layers"], strict=True):
            for name, nested in stages.items():
                np.testing.assert_array_equal(getattr(layer, name), array(nested))
        assert [model["name"] for model in client.models()][:2] == ["addition", "echo"]
        captured = client.capture(np.full((1, 1, 2, 2), 0.5), tokens=["a", "b"])
        assert captured.layers[0].weights.shape == (1, 1, 2, 2)


async def looked_at(client: attnscope.AsyncClient) -> list[Any]:
    async with client:
        trace = await client.trace(TEXTS, SEEDED)
        weights, parameters = await asyncio.gather(
            trace.layers[1].weights, trace.layers[1].parameters
        )
        captured = await client.capture(np.full((1, 1, 2, 2), 0.5))
        await client.delete_capture(captured)
        return [
            trace.id, weights.tolist(), sorted(parameters),
            (await trace.block("q", rows=slice(-2, None))).tolist(),
            (await trace.cell("weights", row=-1))["value"], (await trace.heads())[0],
            len(await client.models()), repr(trace), captured.shape["n"],
        ]  # fmt: skip


def test_the_async_twin_says_the_same_here_and_there(
    live_server: str, trace: attnscope.Trace
) -> None:
    there = asyncio.run(looked_at(attnscope.AsyncClient(live_server)))
    here = asyncio.run(looked_at(attnscope.AsyncClient()))
    assert here == there
    assert here[:2] == [trace.id, trace.layers[1].weights.tolist()]


def test_a_cancelled_question_raises_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    """Also while the application starts. Another caller of the same question is answered."""
    long = partial(attnscope.AsyncClient.trace, text="z " * 1500, model={"source": "seeded"})

    async def asked() -> None:
        async with attnscope.AsyncClient() as client:
            for _ in range(2):
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.02):
                        await long(client)
                await client.models()
            first, second = (asyncio.create_task(long(client)) for _ in range(2))
            await asyncio.sleep(0.02)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            assert (await second).shape["n"] == 1500

    asyncio.run(asked())
    assert [record for record in caplog.records if record.levelname != "INFO"] == []


def test_a_client_waits_inside_a_loop_that_runs_as_in_a_notebook(
    here: attnscope.Client, trace: attnscope.Trace
) -> None:
    async def cell() -> str:
        return here.trace(TEXTS, SEEDED).id

    assert asyncio.run(cell()) == trace.id


def test_a_key_is_needed_and_a_server_that_ended_is_said(tmp_path: Path) -> None:
    with running(PRELOADED, tmp_path, api_keys="sesame") as server:
        for key, code in ((None, "missing_key"), ("wrong", "wrong_key")):
            with attnscope.Client(server.url, key) as client:
                with pytest.raises(attnscope.Problem) as problem:
                    client.trace("a")
                assert (problem.value.code, problem.value.status) == (code, 401)
        client = attnscope.Client(server.url, "sesame")
        trace = client.trace("The cat", SEEDED)
    with pytest.raises(attnscope.Problem, match=f"{server.url} cannot be reached"):
        trace.heads()
    client.close()


def test_a_connection_that_is_reset_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"

        def reset() -> None:
            connection, _ = server.accept()
            connection.recv(100)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        threading.Thread(target=reset, daemon=True).start()
        named = pytest.raises(attnscope.Problem, match=r"cannot be reached \(ReadError\)")
        with attnscope.Client(url) as client, named:
            client.models()


def test_a_forgotten_trace_is_asked_again() -> None:
    """By a server that knows no trace but after its question came to POST /traces."""
    asked: list[str] = []

    class Forgetful:
        url = "a server"

        async def send(self, call: calls.Call) -> calls.Reply:
            asked.append(call.path)
            if call.path == "/traces/abc/heads" and "/traces" not in asked:
                raise attnscope.Problem("unknown_trace", "No trace abc.", status=404)
            body = b'{"trace": "abc", "heads": []}'
            return calls.Reply(200, {}, body)

        async def most_sent(self) -> int:
            return 1 << 20

        async def close(self) -> None:
            """Nothing is open."""

    about = {"trace": "abc", "tokens": [], "context_tokens": None, "checks": {}, "dtype": "float64",
             "shape": {"num_layers": 1}}  # fmt: skip
    question = {"text": "a", "model": {"source": "seeded"}}
    trace = attnscope.AsyncTrace(Forgetful(), question, about)
    assert asyncio.run(trace.heads()) == []
    assert asked == ["/traces/abc/heads", "/traces", "/traces/abc/heads"]


class Other(BaseHTTPRequestHandler):
    """A server that is not attnscope."""

    def do_POST(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Discard the reply."""


@pytest.fixture
def other() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Other)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_server_that_is_not_attnscope_and_one_that_is_not_there(other: str) -> None:
    with (
        attnscope.Client(other) as client,
        pytest.raises(attnscope.Problem, match="answers text/html with status 200") as problem,
    ):
        client.trace("a")
    assert problem.value.code == "no_attnscope"
    with (
        attnscope.Client(f"127.0.0.1:{free_port()}") as client,
        pytest.raises(attnscope.Problem, match="Start a server there") as problem,
    ):
        client.trace("a")
    assert (problem.value.code, problem.value.status) == ("unreachable", None)


def test_a_connection_that_is_cut_during_an_upload_differs_from_no_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"

        def cut() -> None:
            connection, _ = listening.accept()
            connection.recv(1 << 10)
            connection.close()  # a reset, since bytes are unread

        thread = threading.Thread(target=cut)
        thread.start()
        with (
            attnscope.Client(url) as client,
            pytest.raises(attnscope.Problem, match="closed the connection while 16 MB") as problem,
        ):
            client.capture(np.zeros((1, 1, 2048, 2048), np.float32))
        thread.join()
    assert (problem.value.code, problem.value.status) == ("unreachable", None)


PROGRAM = """
import os, tempfile, threadpoolctl, attnscope, numpy
os.environ |= {"ATTNSCOPE_API_KEYS": "sesame", "ATTNSCOPE_RATE_LIMIT": "1/day"}
before = [one["num_threads"] for one in threadpoolctl.threadpool_info()]
client = attnscope.Client()
trace = client.trace("The cat sat")
assert trace.heads()
(folder,) = os.listdir(tempfile.gettempdir())
assert folder.startswith("attnscope-"), folder
client.close()
assert os.listdir(tempfile.gettempdir()) == []
assert [one["num_threads"] for one in threadpoolctl.threadpool_info()] == before
attnscope.Client().trace("The cat sat")  # never closed
print(trace.id)
"""


def test_an_application_here_leaves_nothing_behind(here: attnscope.Client, tmp_path: Path) -> None:
    """Keys and rates of the environment are for servers: they stop no client in the process."""
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    environment = {"TMPDIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{here.trace('The cat sat').id}\n"
    assert list(tmp_path.iterdir()) == []


def test_one_model_needs_no_list(tmp_path: Path) -> None:
    at = gpt2(tmp_path / "mine")
    for given in (at, str(at)):
        with attnscope.Client(models=given) as client:
            assert "mine" in [model["name"] for model in client.models()]
