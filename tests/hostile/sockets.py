"""Bad clients on loopback: silent, half-sent, endless, not reading; each blocks for `PATIENCE`
seconds at most."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import orjson

PATIENCE = 20.0
HALF = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: "
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str:
        """Of a problem."""
        code: str = orjson.loads(self.body)["code"]
        return code


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE)


@contextmanager
def many(port: int, count: int, data: bytes = b"") -> Iterator[list[socket.socket]]:
    """Open at once; each sends `data` and no more."""
    opened: list[socket.socket] = []
    try:
        for _ in range(count):
            opened.append(connect(port))
            with suppress(OSError):
                opened[-1].sendall(data)
        yield opened
    finally:
        for each in opened:
            each.close()


def get(path: str, method: str = "GET", body: bytes = b"") -> bytes:
    """A request for JSON."""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def ask(port: int, data: bytes) -> Reply:
    """On a new connection."""
    with connect(port) as opened:
        opened.sendall(data)
        return reply(opened)


def reply(opened: socket.socket) -> Reply:
    """Raises EOFError if it ends early, OSError on a reset."""
    came = bytearray()
    while b"\r\n\r\n" not in came:
        _more(opened, came)
    head, _, rest = bytes(came).partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    body = bytearray(rest)
    while len(body) < int(headers.get("content-length", 0)):
        _more(opened, body)
    return Reply(int(status.split()[1]), headers, bytes(body))


def _more(opened: socket.socket, came: bytearray) -> None:
    data = opened.recv(1 << 16)
    if not data:
        raise EOFError(f"the connection ended after {bytes(came[:200])!r}")
    came += data


def closed(opened: socket.socket) -> bool:
    """Whether the server closes within PATIENCE seconds, without more data."""
    try:
        return opened.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def pour(port: int, start: bytes, piece: bytes, most: int) -> tuple[int, Reply | None]:
    """Sends `start`, then `piece` up to `most` bytes; returns the bytes taken, and the reply."""
    with connect(port) as opened:
        sent = 0
        with suppress(OSError):
            opened.sendall(start)
            while sent < most:
                opened.sendall(piece)
                sent += len(piece)
        try:
            return sent, reply(opened)
        except (EOFError, OSError):
            return sent, None


@contextmanager
def unread(port: int, count: int, request: bytes) -> Iterator[list[socket.socket]]:
    """Clients that never read, with small buffers."""
    opened: list[socket.socket] = []
    try:
        for _ in range(count):
            deaf = socket.socket()
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.settimeout(PATIENCE)
            deaf.connect(("127.0.0.1", port))
            deaf.sendall(request)
            opened.append(deaf)
        yield opened
    finally:
        for each in opened:
            each.close()


def resident(process: int) -> int:
    """Bytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("VmRSS:")]
    return int(line.split()[1]) << 10


def descriptors(process: int) -> int:
    """Open files and sockets."""
    return sum(1 for _ in Path(f"/proc/{process}/fd").iterdir())


def eventually(holds: object, seconds: float = PATIENCE) -> bool:
    assert callable(holds)
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
