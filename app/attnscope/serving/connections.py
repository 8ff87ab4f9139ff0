from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from uvicorn.server import ServerState

from attnscope.errors import AttnscopeError
from attnscope.settings import Settings
from attnscope.web.http.problems import status_of
from attnscope.web.http.refusals import refusal
from attnscope.web.texts import Catalogue

log = logging.getLogger("attnscope.server")
IDLE_SECONDS = 0.2  # idle seconds after which a connection may be evicted
PATIENCE = 2.0  # seconds without progress after which any connection may be evicted
LINGERING = 64  # most connections that wait until their last reply is read


class Connection(Protocol):
    since: float

    @property
    def unsent(self) -> int: ...

    def idle(self, now: float) -> float: ...

    def look(self, now: float) -> None: ...

    def cut(self) -> None: ...


@dataclass
class Refused:
    """Refusals with one error code within a second share reply, id and log line."""

    reply: bytes
    request_id: str
    status: int
    since: float
    count: int = 0


class Connections(ServerState):
    """`unasked`: connections that await complete headers, longest first."""

    def __init__(
        self, settings: Settings, catalogue: Catalogue, count: Callable[[str], None]
    ) -> None:
        super().__init__()
        self.limit = settings.max_connections
        self.header_seconds = settings.header_seconds
        self.header_bytes = settings.max_header_kb << 10
        self.keep_alive_seconds = settings.keep_alive_seconds
        self.write_seconds = settings.write_seconds
        self.unasked: dict[Connection, None] = {}
        self.lingering: set[Connection] = set()
        self.stopping = False
        self._catalogue = catalogue
        self._count = count
        self._refused: dict[str, Refused] = {}

    def watch(self) -> None:
        loop = asyncio.get_running_loop()
        shortest = min(self.header_seconds, self.keep_alive_seconds, self.write_seconds)
        pause = min(max(shortest / 4, 0.05), 0.5)

        def look() -> None:
            now = loop.time()
            for guard in list(self.guards()):
                guard.look(now)
            self.log_refused(now)
            loop.call_later(pause, look)

        loop.call_soon(look)

    def guards(self) -> set[Connection]:
        return self.connections  # type: ignore[return-value]

    def make_room(self, now: float) -> bool:
        """Whether another connection fits, after evicting the longest idle one if necessary."""
        if len(self.connections) - len(self.lingering) <= self.limit:
            return True
        victim = next(iter(self.unasked), None)
        if victim is None or now - victim.since < IDLE_SECONDS:
            victim = max(self.guards(), key=lambda guard: guard.idle(now))
            if victim.idle(now) < PATIENCE:
                return False
        victim.cut()
        return True

    def may_linger(self, guard: Connection) -> bool:
        if len(self.lingering) < LINGERING:
            self.lingering.add(guard)
            return True
        return False

    def forget(self, guard: Connection) -> None:
        self.unasked.pop(guard, None)
        self.lingering.discard(guard)
        self.connections.discard(guard)

    def refusal(self, error: AttnscopeError, now: float) -> bytes:
        self._count(error.code)
        entry = self._refused.get(error.code)
        if entry is None:
            request_id = uuid.uuid4().hex
            reply = refusal(self._catalogue, error, request_id)
            entry = Refused(reply, request_id, status_of(error), now)
            self._refused[error.code] = entry
        entry.count += 1
        return entry.reply

    def log_refused(self, now: float, age: float = 1.0) -> None:
        for code, entry in list(self._refused.items()):
            if now - entry.since >= age:
                del self._refused[code]
                level = logging.WARNING if entry.status >= 500 else logging.INFO
                fields = {
                    "id": entry.request_id,
                    "status": entry.status,
                    "problem": code,
                    "times": entry.count,
                }
                log.log(level, "refused at the connection", extra={"fields": fields})

    def unsent(self) -> int:
        return sum(guard.unsent for guard in list(self.guards()))
