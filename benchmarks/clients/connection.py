"""HTTP/1.1 client of low cost: asyncio and httptools."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httptools
import orjson

KEPT = 1 << 21  # bytes of a body; the rest is counted


@dataclass
class Reply:
    """Lower-case headers; `body`: the first KEPT bytes."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytearray = field(default_factory=bytearray)
    size: int = 0

    def json(self) -> Any:
        return orjson.loads(bytes(self.body))


class Ended(Exception):
    """`begun`: within the reply."""

    def __init__(self, begun: bool) -> None:
        super().__init__("in the middle of a reply" if begun else "before the reply")
        self.begun = begun


class Connection(asyncio.Protocol):
    """One request at a time; `pace`: bytes a second read, 0: unlimited."""

    def __init__(self) -> None:
        self.pace = 0.0
        self.used = 0
        self.open = False
        self._reply = Reply()
        self._waiting: asyncio.Future[Reply] | None = None
        self._parser = httptools.HttpResponseParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.open = transport, True

    async def ask(self, request: bytes) -> Reply:
        """Raises Ended and OSError."""
        self._reply = Reply()
        self._waiting = asyncio.get_running_loop().create_future()
        self._parser = httptools.HttpResponseParser(self)
        self.transport.write(request)
        reply = await self._waiting
        self.used += 1
        return reply

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._finish(error)
        if self.pace:
            self.transport.pause_reading()
            asyncio.get_running_loop().call_later(len(data) / self.pace, self._read_on)

    def _read_on(self) -> None:
        if self.open and not self.transport.is_closing():
            self.transport.resume_reading()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._reply.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        self._reply.status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self._reply.size += len(body)
        if len(self._reply.body) < KEPT:
            self._reply.body += body

    def on_message_complete(self) -> None:
        if not self._parser.should_keep_alive():
            self.transport.close()
            self.open = False
        self._finish(None)

    def connection_lost(self, error: Exception | None) -> None:
        self.open = False
        self._finish(Ended(self._reply.status != 0))

    def _finish(self, error: Exception | None) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is None or waiting.done():
            return
        if error is None:
            waiting.set_result(self._reply)
        else:
            waiting.set_exception(error)

    def close(self) -> None:
        self.open = False
        self.transport.abort()


async def connect(port: int, source: str = "127.0.0.1") -> Connection:
    """`source`: any loopback address."""
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(
        Connection, "127.0.0.1", port, local_addr=(source, 0)
    )
    return connection


def request(
    method: str, path: str, port: int, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> bytes:
    """A body is JSON unless the headers say otherwise."""
    lines = {"Host": f"127.0.0.1:{port}"}
    if body:
        lines |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    lines |= dict(headers or {})
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body
