"""kill −9 during uploads and links: answered ones persist."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from benchmarks.scenes.outcome import (
    ATTENTION,
    MODELS,
    TRACES,
    Outcome,
    ask,
    check_stop,
)
from benchmarks.scenes.requests import MULTIPART, multipart
from benchmarks.served import Served

Start = Callable[..., Served]
ROUNDS = 8
WRITERS = 4


def checkpoint(seed: int, d_model: int = 256) -> bytes:
    """A new upload of four matrices."""
    lots = np.random.default_rng(seed)
    names = ("w_q", "w_k", "w_v", "w_o")
    arrays = {name: lots.standard_normal((d_model, d_model), np.float32) for name in names}
    return multipart(("w.safetensors", save(arrays)))


class Writing:
    """Threads that upload and create links."""

    def __init__(self, server: Served, outcome: Outcome, seed: int) -> None:
        self.server, self.outcome = server, outcome
        self.models: list[str] = []
        self.traces: list[str] = []
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._write, args=(seed + i,)) for i in range(WRITERS)
        ]
        for thread in self._threads:
            thread.start()

    def _write(self, seed: int) -> None:
        chance = random.Random(seed)
        while not self._over.is_set():
            number = chance.randrange(1 << 30)
            if seed % 2:
                body, headers = checkpoint(number), MULTIPART
                answer = ask(self.server, "POST", MODELS, body, headers)
                known, key = self.models, "id"
            else:
                body, headers = json.dumps({"text": f"link {number}"}).encode(), {}
                answer = ask(self.server, "POST", TRACES, body, headers)
                known, key = self.traces, "trace"
            self.outcome.sent += len(body)
            if answer.status == 201:
                known.append(json.loads(answer.body)[key])
            elif answer.status:
                self.outcome.must(answer.allowed, f"a write got {answer}")

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()


def kills(start: Start, folder: Path) -> Iterator[Outcome]:
    outcome = Outcome(f"kill −9 during uploads and links, {ROUNDS} times")
    models: list[str] = []
    traces: list[str] = []
    began = time.monotonic()
    chance = random.Random(9)
    with start(folder / "kills", workers=2) as server:
        for number in range(ROUNDS):
            writing = Writing(server, outcome, number * 100)
            time.sleep(chance.uniform(0.5, 1.5))
            outcome.peak = max(outcome.peak, server.peak())
            server.kill()
            writing.end()
            models, traces = models + writing.models, traces + writing.traces
            server.start()
            _check_all_there(server, outcome, writing.models, writing.traces)
        _check_all_there(server, outcome, models, traces)
        ask(server, "POST", MODELS, checkpoint(1), MULTIPART)
        left = [path.name for path in server.data.rglob(".new-*")]
        outcome.must(not left, f"leftovers: {left[:5]}")
        writing = Writing(server, outcome, 10_000)
        time.sleep(1)
        check_stop(server, outcome)
        writing.end()
        server.start()
        _check_all_there(server, outcome, writing.models, writing.traces)
        outcome.must("Traceback" not in server.log.read_text(), "a traceback in the log")
    outcome.seconds = time.monotonic() - began
    outcome.answers.append(f"{len(models)} uploads and {len(traces)} links were answered")
    outcome.must(min(len(models), len(traces)) > ROUNDS, "too few writes to say anything")
    yield outcome


def _check_all_there(
    server: Served, outcome: Outcome, models: list[str], traces: list[str]
) -> None:
    for name in models:
        answer = ask(server, "GET", f"{MODELS}/{name}")
        outcome.must(answer.status == 200, f"upload {name}: {answer}")
    for name in traces:
        answer = ask(server, "GET", f"{TRACES}/{name}/question")
        outcome.must(answer.status == 200, f"link {name}: {answer}")
    for name in models[-2:]:
        question = {"text": "The cat", "model": {"source": "uploaded", "id": name}}
        answer = ask(server, "POST", ATTENTION, question)
        outcome.must(answer.status == 200, f"a question to upload {name}: {answer}")
