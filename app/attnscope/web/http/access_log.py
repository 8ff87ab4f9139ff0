from __future__ import annotations

import logging
import time
from typing import Protocol

from starlette.types import Message, Scope

from attnscope.web.http.addresses import client_of
from attnscope.web.http.metrics import Metrics
from attnscope.web.http.problems import CALLER_LEFT

log = logging.getLogger("attnscope.request")
API = "/api/v1"
METHODS = ("GET", "HEAD", "POST", "DELETE", "OPTIONS")


def route_of(scope: Scope) -> str:
    pattern = getattr(scope.get("route"), "path", None)
    if pattern is None:
        return "other"
    # FastAPI stores a router's routes without their prefix.
    prefix = API if scope["path"].startswith(f"{API}/") else ""
    return prefix + str(pattern).removeprefix(prefix)


class Flights(Protocol):
    """Open requests, logged if their worker is killed."""

    def begin(self, request_id: str, method: str) -> int: ...

    def end(self, note: int) -> None: ...


class LogEntry:
    """A logged request, without address, text or key."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        method = scope.get("asked", scope["method"])
        self.method = method if method in METHODS else "other"
        self.status = CALLER_LEFT
        self.size = 0
        self.began = time.perf_counter()
        self.flights: Flights | None = scope["app"].state.flights
        self.metrics: Metrics = scope["app"].state.metrics
        self.note = self.flights.begin(scope["request_id"], self.method) if self.flights else -1

    def sent(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif self.method != "HEAD":
            self.size += len(message.get("body", b""))

    def close(self, error: BaseException | None = None) -> None:
        if self.flights:
            self.flights.end(self.note)
        route, seconds = route_of(self.scope), time.perf_counter() - self.began
        self.metrics.answered(self.method, route, self.status, seconds)
        level = logging.ERROR if error else logging.WARNING if self.status >= 500 else logging.INFO
        if not log.isEnabledFor(level):
            return
        fields = {
            "id": self.scope["request_id"],
            "method": self.method,
            "route": route,
            "status": self.status,
            "ms": round(seconds * 1e3, 1),
            "bytes": self.size,
            "client": client_of(self.scope),
        }
        if "problem" in self.scope:
            fields["problem"] = self.scope["problem"]
        log.log(level, "request", exc_info=error, extra={"fields": fields})
