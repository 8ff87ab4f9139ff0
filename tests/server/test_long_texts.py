"""Texts that take long to cut: the server answers others meanwhile, gives up what nobody waits for,
and ends in time."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.families.made import GPT2, checkpoint, gpt2_tensors
from tests.hostile.sockets import HEALTH, Reply, ask, connect, eventually, get, reply
from tests.server.test_server import BUSY, STOP
from tests.serving import PRELOADED, Running, running
from tests.tokenizer_files import definition, unigram

LONGEST = 290  # letters: a text of them takes seconds for a thousand
CUTTER = b"attnscope.tokens.tokenizer_worker"
SMALL = {"text": "The cat sat on the mat"}
SLOW: dict[str, Any] = {"text": "a" * 50_000, "model": {"source": "installed", "name": "slow"}}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    made = definition(model=unigram(LONGEST)).decode()
    folder = checkpoint(tmp_path / "slow", GPT2, gpt2_tensors(GPT2), tokenizer=made)
    with running(PRELOADED, tmp_path, "--model", str(folder), stop_seconds=STOP) as server:
        assert asked(server, {**SLOW, "text": "aaa"}).status == 200
        yield server


def posted(body: dict[str, Any]) -> bytes:
    return get("/api/v1/attention", "POST", orjson.dumps(body))


def asked(server: Running, body: dict[str, Any]) -> Reply:
    return ask(server.port, posted(body))


def cutting(server: Running) -> set[int]:
    """The processes below the server that cut texts."""
    found = [server.process.pid]
    for process in found:
        with suppress(OSError):  # it has ended, or a thread of it
            for task in Path(f"/proc/{process}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return {process for process in found if CUTTER in command_of(process)}


def command_of(process: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes()
    return b""


def busy(process: int) -> bool:
    """Whether it computes; false for one that is gone."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state == "R"


def test_others_are_answered_while_a_text_is_cut(server: Running) -> None:
    with connect(server.port) as client:
        client.sendall(posted(SLOW))
        assert eventually(lambda: any(map(busy, cutting(server))))
        for _ in range(2):
            assert ask(server.port, HEALTH).status == 200
            assert asked(server, SMALL).status == 200
        assert any(map(busy, cutting(server))), "the text was cut before the others were answered"
        problem = reply(client)
    assert (problem.status, json.loads(problem.body)["code"]) == (413, "too_many_tokens")
    assert asked(server, {**SLOW, "text": "aaab"}).status == 200


def test_a_text_is_given_up_with_its_client(server: Running) -> None:
    before = cutting(server)
    with connect(server.port) as client:
        client.sendall(posted(SLOW))
        assert eventually(lambda: any(map(busy, cutting(server))))
    assert eventually(lambda: not before & cutting(server))
    assert asked(server, {**SLOW, "text": "aab"}).status == 200


def test_the_server_ends_in_time_while_texts_are_cut(server: Running) -> None:
    with connect(server.port) as one, connect(server.port) as other:
        for client in (one, other):
            client.sendall(posted(SLOW))
        assert eventually(lambda: any(map(busy, cutting(server))))
        children, began = cutting(server), time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(STOP + BUSY + 1) == 0
        assert time.monotonic() - began < STOP + BUSY
    assert eventually(lambda: not any(map(busy, children)))
