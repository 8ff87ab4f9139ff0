"""SIGTERM ends the server: what runs is answered, nothing new begins, nobody can hold it."""

from __future__ import annotations

import signal
import socket
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path

import orjson
import pytest

from tests.hostile.sockets import HALF, HEALTH, connect, eventually, get, many, reply, unread
from tests.server.test_guard import LARGE, POST
from tests.serving import PRELOADED, Running, running

STOP = 4  # seconds; ten at the most by default
BUSY = 8  # seconds in which a busy machine ends a process that has come to its end
SLOW = get("/api/v1/attention", "POST", orjson.dumps(LARGE))


def stopped(server: Running) -> int:
    """The exit code; the server has as long as its setting says, and a moment to be seen."""
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    code = server.process.wait(STOP + BUSY + 1)
    assert time.monotonic() - began < STOP + BUSY
    return code


def kept_alive(server: Running) -> AbstractContextManager[object]:
    return many(server.port, 5, HEALTH)


def half_a_body(server: Running) -> AbstractContextManager[object]:
    return many(server.port, 5, POST + b"Content-Length: 40\r\n\r\n" + b'{"text": ')


@contextmanager
def locked_database(server: Running) -> Iterator[None]:
    """Somebody holds the file of questions, and questions are on their way to it."""
    with connect(server.port) as client:
        client.sendall(SLOW)
        reply(client)
    path = server.folder / "data/questions.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        with many(server.port, 4, get("/api/v1/attention", "POST", b'{"text": "new"}')):
            yield


CLIENTS: dict[str, Callable[[Running], AbstractContextManager[object]]] = {
    "nobody": lambda server: ExitStack(),
    "silent": lambda server: many(server.port, 20),
    "half requests": lambda server: many(server.port, 20, HALF),
    "kept alive": kept_alive,
    "half bodies": half_a_body,
    "unread replies": lambda server: unread(server.port, 3, SLOW),
    "pipelined": lambda server: many(server.port, 3, HEALTH * 10),
    "a locked database": locked_database,
}


def ends_in_time(folder: Path, clients: Iterable[str], workers: str) -> None:
    with running(PRELOADED, folder, "--workers", workers, stop_seconds=STOP) as server:
        with ExitStack() as all_of_them:
            for each in clients:
                all_of_them.enter_context(CLIENTS[each](server))
            time.sleep(0.3)
            assert stopped(server) == 0
        assert "Traceback" not in server.log


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_server_ends_in_time_whatever_clients_do(tmp_path: Path, workers: str) -> None:
    ends_in_time(tmp_path, CLIENTS, workers)


@pytest.mark.full
@pytest.mark.parametrize(
    ("clients", "workers"),
    [*((each, "1") for each in CLIENTS), ("nobody", "2"), ("unread replies", "2")],
)
def test_the_server_ends_in_time_with_clients_of_one_kind(
    tmp_path: Path, clients: str, workers: str
) -> None:
    ends_in_time(tmp_path, [clients], workers)


def held(server: Running) -> bool:
    """Whether the work that waits or holds comes to have begun: it says so by a file."""
    return eventually((server.folder / "held").exists)


# The work on a trace, in a thread, waits for a file: the answer runs as long as a test wants it to.
WAITING = """
import os, time
from attnscope.trace.engine import Engine
trace = Engine.trace
def waits(engine, planned):
    open("held", "w").close()
    while not os.path.exists("go"):
        time.sleep(0.01)
    return trace(engine, planned)
Engine.trace = waits
"""


def test_the_answer_that_runs_arrives_and_no_other_begins(tmp_path: Path) -> None:
    """The requests behind it came before the signal, and it is finished long after."""
    with running(PRELOADED, tmp_path, before=WAITING) as server, connect(server.port) as client:
        client.sendall(SLOW + HEALTH * 3)
        assert held(server)
        server.process.send_signal(signal.SIGTERM)
        assert eventually(lambda: not listening(server.port))
        (tmp_path / "go").touch()
        answer = reply(client)
        assert answer.status == 200
        assert len(answer.body) > 1 << 20
        with pytest.raises((EOFError, ConnectionError)):
            reply(client)
        with pytest.raises(ConnectionError):
            socket.create_connection(("127.0.0.1", server.port), 5).close()
        assert server.process.wait(STOP + 3) == 0


# As numpy computes: a step of C, long after the signal, that looks at nothing meanwhile.
HOLDING = """
import ctypes, os, threading
import attnscope.web.health
def hold():
    open("held", "w").close()
    for _ in range(30):
        ctypes.CDLL(None).usleep(900_000)
reply = attnscope.web.health.uncached
def slow(body):
    if os.path.exists("go"):
        {how}
    return reply(body)
attnscope.web.health.uncached = slow
"""


def test_an_answer_that_takes_too_long_ends_with_a_word(tmp_path: Path) -> None:
    slow = f"{HOLDING.format(how='pass')}attnscope.web.health.Readiness._look = lambda _: hold()"
    with running(PRELOADED, tmp_path, before=slow, stop_seconds=2) as server:
        with connect(server.port) as client:
            client.sendall(get("/readyz"))
            assert held(server)
            server.process.send_signal(signal.SIGTERM)
            answer = reply(client)
            assert (answer.status, answer.code) == (503, "busy")
            assert server.process.wait(6) == 0
        assert answer.headers["x-request-id"] in server.log
        assert "by force" in server.log


IN_A_THREAD = "threading.Thread(target=hold).start()"


@pytest.mark.parametrize("how", ["hold()", pytest.param(IN_A_THREAD, marks=pytest.mark.full)])
def test_what_computes_on_is_ended_by_force(tmp_path: Path, how: str) -> None:
    with running(PRELOADED, tmp_path, before=HOLDING.format(how=how), stop_seconds=1) as server:
        (tmp_path / "go").touch()
        with connect(server.port) as client:
            client.sendall(HEALTH)
            assert held(server)
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(6) == 0
        assert "by force" in server.log


def listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
