"""Requests a second over loopback: two workers, four kept connections."""

from __future__ import annotations

import itertools
import json
import re
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

from attnscope.web.serializers.request import DEFAULT_TEXT
from tests.serving import serving

SECONDS, CONNECTIONS, WORKERS = 5.0, 4, 2
HEAD = """POST /api/v1/attention HTTP/1.1\r
Host: 127.0.0.1\r
Content-Type: application/json\r
Content-Length: {length}\r
\r
"""
LENGTH = re.compile(rb"\ncontent-length: (\d+)", re.IGNORECASE)


def ask(port: int, bodies: itertools.count[int] | None, until: float, done: list[int]) -> None:
    """Bare sockets, since the client shares the server's cores; `bodies`: seeds."""
    answered = 0
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while time.perf_counter() < until:
            seed = next(bodies) if bodies else 0
            model = {"source": "seeded", "seed": seed}
            body = json.dumps({"text": DEFAULT_TEXT, "model": model})
            connection.sendall((HEAD.format(length=len(body)) + body).encode())
            check(connection)
            answered += 1
    done.append(answered)


def check(connection: socket.socket) -> None:
    """Reads one reply."""
    reply = b""
    while b"\r\n\r\n" not in reply:
        reply += received(connection)
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), head
    length = LENGTH.search(head)
    assert length is not None, head
    missing = int(length[1]) - len(body)
    while missing > 0:
        missing -= len(received(connection))
    assert missing == 0


def received(connection: socket.socket) -> bytes:
    some = connection.recv(1 << 18)
    assert some, "the server has closed the connection"
    return some


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
        print(
            f"another seed each time: {rate(port, itertools.count(1)):.0f} requests/s (budget 800)"
        )


if __name__ == "__main__":
    main()
