"""The default server: one worker, and a supervisor that outlives what ends it."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from attnscope.serving.flights import RUN
from tests.families.made import gpt2
from tests.hostile.sockets import Reply, ask, eventually, get
from tests.serving import PRELOADED, Running, running

TEXT = "The animal didn't"
CUT = {"source": "installed", "name": "cut"}
LAYERS, WIDTH = 12, 768  # 340 MB of zeros, which take no room on the disk


def question(server: Running, number: int, **asked: Any) -> Reply:
    """The reply to a question; another number is another question."""
    body = {"text": TEXT, "temperature": 1 + number / 1000, "stages": ["output"], **asked}
    return ask(server.port, get("/api/v1/attention", "POST", json.dumps(body).encode()))


def sparse(folder: Path) -> Path:
    """A checkpoint whose tensors are holes of a file, so that reading it takes a while."""
    config = {"n_layer": LAYERS, "n_embd": WIDTH, "n_head": 12}
    small = gpt2(folder, **config, vocab_size=300)
    file = small / "model.safetensors"
    size = file.stat().st_size
    content = file.read_bytes()
    file.write_bytes(content[: 8 + int.from_bytes(content[:8], "little")])
    os.truncate(file, size)
    return file


def test_a_worker_that_is_killed_is_replaced_and_answers_at_the_address_that_was_printed_once(
    tmp_path: Path,
) -> None:
    with running(PRELOADED, tmp_path) as server:
        data = server.folder / "data"
        for folder in (data, data / RUN):
            assert folder.stat().st_mode & 0o777 == 0o700, "for its owner alone"
        address = f"on {server.url}\n"
        assert eventually(lambda: address in server.log)
        for signal_number in (signal.SIGBUS, signal.SIGKILL, signal.SIGBUS):
            (worker,) = server.workers
            os.kill(worker, signal_number)
            assert eventually(lambda worker=worker: server.workers not in ([worker], []))
            assert question(server, 0).status == 200
        assert server.log.count("a worker died, another takes its place") == 3
        assert server.log.count(address) == 1


def test_a_checkpoint_that_is_cut_while_it_is_read_ends_no_server(tmp_path: Path) -> None:
    file = sparse(tmp_path / "cut")
    size = file.stat().st_size
    with running(PRELOADED, tmp_path, "--model", str(file.parent)) as server:
        assert question(server, 0, model=CUT).status == 200
        for turn in range(1, 4):
            reading = threading.Thread(target=asked, args=(server, turn))
            reading.start()
            time.sleep(0.05 * turn)
            os.truncate(file, 1 << 16)
            assert eventually(lambda turn=turn: refused(server, turn + 10))
            assert question(server, turn).status == 200
            os.truncate(file, size)
            reading.join()
        assert eventually(lambda: question(server, 20, model=CUT).status == 200)
        assert ask(server.port, get("/readyz")).status == 200


def asked(server: Running, number: int) -> None:
    """Asks, whatever comes: a worker that ends breaks its connections."""
    with suppress(OSError, EOFError):
        question(server, number, model=CUT)


def refused(server: Running, number: int) -> bool:
    """Whether the model that was cut is refused, in words."""
    with suppress(OSError, EOFError):
        reply = question(server, number, model=CUT)
        assert reply.status in (404, 409, 422, 503), reply
        return bool(json.loads(reply.body)["detail"])
    return False
