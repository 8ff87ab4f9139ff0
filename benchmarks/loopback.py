"""Requests a second over loopback: two workers, four connections kept alive."""

from __future__ import annotations

import http.client
import itertools
import json
import sys
import tempfile
import threading
import time
from pathlib import Path

from app.web.wire.request import DEFAULT_TEXT
from tests.serving import serving

SECONDS, CONNECTIONS, WORKERS = 5.0, 4, 2
HEADERS = {"Content-Type": "application/json"}


def ask(port: int, bodies: itertools.count[int] | None, until: float, done: list[int]) -> None:
    """The default question again and again; with another seed each time where `bodies` counts."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    answered = 0
    while time.perf_counter() < until:
        seed = next(bodies) if bodies else 0
        body = {"text": DEFAULT_TEXT, "model": {"source": "seeded", "seed": seed}}
        connection.request("POST", "/api/v1/attention", json.dumps(body), HEADERS)
        reply = connection.getresponse()
        reply.read()
        assert reply.status == 200, reply.status
        answered += 1
    done.append(answered)


def rate(port: int, bodies: itertools.count[int] | None) -> float:
    done: list[int] = []
    until = time.perf_counter() + SECONDS
    threads = [
        threading.Thread(target=ask, args=(port, bodies, until, done)) for _ in range(CONNECTIONS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / SECONDS


def main() -> None:
    command = [str(Path(sys.prefix, "bin", "attnscope"))]
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(command, Path(folder), "--workers", str(WORKERS)) as url,
    ):
        port = int(url.rpartition(":")[2])
        rate(port, None)
        print(f"default question: {rate(port, None):.0f} requests/s (budget 400)")
        print(f"another seed each time: {rate(port, itertools.count(1)):.0f} requests/s")


if __name__ == "__main__":
    main()
