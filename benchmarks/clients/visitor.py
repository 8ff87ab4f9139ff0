"""One client: keeps a connection, obeys Retry-After, counts replies."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from benchmarks.clients.connection import Connection, Ended, Reply, connect, request
from benchmarks.clients.tally import Tally

TRIES = 6
LONGEST = 120.0  # seconds for one reply: queue, work, slow reader
GOOD = (200, 201, 204, 304)


class Visitor:
    """Has its own address: the server sees many clients."""

    def __init__(
        self, number: int, port: int, tally: Tally, until: float, files: Sequence[str] = ()
    ) -> None:
        self.number = number
        self.port = port
        self.tally = tally
        self.until = until
        self.files = files
        self.random = random.Random(number)
        self.source = f"127.0.{1 + number // 250}.{1 + number % 250}"
        self.traces: list[tuple[str, int]] = []
        self.tags: dict[str, str] = {}
        self._connection: Connection | None = None

    async def ask(
        self,
        kind: str,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        pace: float = 0.0,
    ) -> Reply | None:
        """Retries; None without a reply."""
        data = body if isinstance(body, bytes) else orjson.dumps(body) if body is not None else b""
        sent = request(method, path, self.port, data, headers)
        counted = self.tally.kinds[kind]
        counted.asked += 1
        for _ in range(TRIES):
            began = time.perf_counter()
            reply = await self._exchange(kind, path, sent, pace)
            seconds = time.perf_counter() - began
            if reply is None:
                break
            if reply.status in GOOD:
                counted.answered.append(seconds)
                counted.size += reply.size
                return reply
            if not self._told_to_wait(kind, path, reply):
                break
            counted.refused.append(seconds)
            if time.monotonic() > self.until:
                return None  # the time is over
            await asyncio.sleep(float(reply.headers["retry-after"]))
        counted.given_up += 1
        return None

    async def leave(self, kind: str, path: str, body: Any, after: float) -> None:
        """Disconnect after `after` seconds without the reply."""
        data = orjson.dumps(body)
        connection = await connect(self.port, self.source)
        connection.transport.write(request("POST", path, self.port, data))
        await asyncio.sleep(after)
        connection.close()
        self.tally.left += 1
        self.tally.kinds[kind].asked += 1

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    async def _exchange(self, kind: str, path: str, sent: bytes, pace: float) -> Reply | None:
        """On the open connection or a new one; None if it broke."""
        while True:
            fresh = self._connection is None or not self._connection.open
            try:
                if self._connection is None or fresh:
                    self._connection = await connect(self.port, self.source)
                self._connection.pace = pace
                async with asyncio.timeout(LONGEST):
                    reply = await self._connection.ask(sent)
            except TimeoutError:
                self.tally.breaks(f"{kind}: no reply in {LONGEST:.0f} s: {path}")
            except (Ended, OSError) as error:
                begun = isinstance(error, Ended) and error.begun
                if not fresh and not begun:
                    self.close()
                    continue  # any server may close idle connections
                self.tally.breaks(f"{kind}: {error}: {path}")
            else:
                self.tally.statuses[str(reply.status)] += 1
                return reply
            self.close()
            return None

    def _told_to_wait(self, kind: str, path: str, reply: Reply) -> bool:
        """503 with Retry-After is the only error allowed."""
        if reply.status == 503 and reply.headers.get("retry-after", "").isdigit():
            return True
        text = " ".join(bytes(reply.body[:200]).decode(errors="replace").split())
        self.tally.breaks(f"{kind}: {reply.status} for {path}: {text}")
        return False
