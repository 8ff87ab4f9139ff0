"""Outcome of a scene: memory, processor, log, and another client."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from attnscope.web.serializers.request import DEFAULT_TEXT
from benchmarks.served import MIB, Served, memory_bound, overbooked, resting_bound

ATTENTION, TRACES, MODELS = "/api/v1/attention", "/api/v1/traces", "/api/v1/models"
STOPS_WITHIN = 10.0
OTHERS_WAIT = 1.0  # seconds, on an idle machine
QUIET_LOG = 500_000  # bytes; a request is a line of at most half a kilobyte
PATIENCE = 60.0


@dataclass
class Answer:
    """Without a reply `status` is 0 and `code` says why."""

    status: int
    code: str
    body: bytes
    seconds: float
    retry_after: str | None = None

    @property
    def allowed(self) -> bool:
        """An answer, a clear refusal, or Retry-After."""
        refused = self.status in (503, 507) and self.code in ("busy", "storage_full")
        return 200 <= self.status < 500 or refused

    def __str__(self) -> str:
        return f"{self.status} {self.code}".strip()


@dataclass
class Outcome:
    """It passed if `faults` is empty."""

    name: str
    sent: int = 0
    peak: int = 0
    seconds: float = 0.0
    busy: float = 0.0
    waited: list[float] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def must(self, holds: bool, otherwise: str) -> None:
        if not holds:
            self.faults.append(otherwise)

    def sentence(self) -> str:
        """A row of the table `HEAD`."""
        worst = f"{max(self.waited):.2f}" if self.waited else "–"
        answers = "; ".join(dict.fromkeys(self.answers))
        verdict = "PASS" if not self.faults else "FAIL: " + "; ".join(self.faults)
        numbers = f"{self.sent:,} | {self.peak // MIB:,} | {self.seconds:.1f} | {self.busy:.1f}"
        return f"| {self.name} | {numbers} | {worst} | {answers} | {verdict} |"


HEAD = (
    "| what | bytes sent | peak, MB | seconds | of a processor | others waited, s | answered | |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- |"
)


def ask(
    server: Served,
    method: str,
    path: str,
    body: bytes | dict[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    patience: float = PATIENCE,
) -> Answer:
    """On its own connection."""
    data = json.dumps(body).encode() if isinstance(body, dict) else body
    given = {"Content-Type": "application/json"} if data else {}
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=patience)
    try:
        connection.request(method, path, data, given | dict(headers or {}))
        reply = connection.getresponse()
        content = reply.read()
    except (OSError, http.client.HTTPException) as error:
        return Answer(0, type(error).__name__, b"", time.monotonic() - began)
    finally:
        connection.close()
    seconds, again = time.monotonic() - began, reply.getheader("retry-after")
    return Answer(reply.status, code_of(content), content, seconds, again)


def code_of(body: bytes) -> str:
    """Empty unless a problem."""
    if not body.startswith(b'{"type":"/problems/'):
        return ""
    code: str = json.loads(body)["code"]
    return code


def small(server: Served, patience: float = 20.0) -> Answer:
    return ask(server, "POST", ATTENTION, {"text": DEFAULT_TEXT}, patience=patience)


def large(megabytes: float, seed: int = 0) -> dict[str, Any]:
    """`megabytes` of its trace."""
    tokens = int((megabytes * 1e6 / 128) ** 0.5)
    text = " ".join(f"t{i}" for i in range(tokens))
    return {"text": text, "model": {"source": "seeded", "seed": seed}}


@contextmanager
def watched(server: Served, name: str, path: str = "/healthz") -> Iterator[Outcome]:
    """Measures the block while another client requests `path`."""
    outcome, over = Outcome(name), threading.Event()

    def others() -> None:
        while not over.wait(0.05):
            answer = ask(server, "GET", path, patience=20.0)
            outcome.waited.append(answer.seconds)
            if answer.status == 503 and answer.retry_after is not None:
                outcome.answers.append("others 503 busy")
            elif answer.status != 200 and not over.is_set():
                outcome.faults.append(f"{path} got {answer}")
                return

    server.forget_peak()
    began, busy = time.monotonic(), server.busy()
    asking = threading.Thread(target=others)
    asking.start()
    try:
        yield outcome
    finally:
        over.set()
        asking.join()
    outcome.seconds = time.monotonic() - began
    outcome.busy, outcome.peak = server.busy() - busy, server.peak()


def check_rest(server: Served, outcome: Outcome) -> None:
    """Bounds of memory, quick replies for others, a quiet log."""
    outcome.must(server.alive, "the server is gone")
    most, bound = outcome.peak // MIB, memory_bound() // MIB
    outcome.must(most <= bound, f"{most} MB, the bound is {bound} MB")
    rest = server.rests(resting_bound()) // MIB
    outcome.must(rest <= resting_bound() // MIB, f"{rest} MB stay")
    late = max(outcome.waited, default=0.0)
    outcome.must(late <= OTHERS_WAIT * overbooked(), f"somebody else waited {late:.1f} s")
    answer = small(server)
    outcome.must(answer.status == 200, f"afterwards a small question got {answer}")
    size = server.log.stat().st_size
    outcome.must(size <= QUIET_LOG, f"{size:,} bytes of log")
    log = server.log.read_text(errors="replace")
    outcome.must("Traceback" not in log, "a traceback in the log")


def check_stop(server: Served, outcome: Outcome) -> None:
    seconds, code = server.stop()
    outcome.answers.append(f"SIGTERM {seconds:.1f} s")
    outcome.must(seconds <= STOPS_WITHIN, f"SIGTERM took {seconds:.1f} s")
    outcome.must(code == 0, f"exit code {code}")
