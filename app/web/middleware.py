"""What every request passes through, outermost first: HEAD, identity, metrics, limits, keys."""

from __future__ import annotations

import hmac
import math
import re
import time
import uuid

from fastapi import Request
from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.settings import Settings
from app.trace.engine import Engine
from app.web.problems import (
    BodyTooLarge,
    HttpError,
    InternalError,
    MissingKey,
    RateLimited,
    WrongKey,
    problem,
)

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
)
SAFE = {
    "Content-Security-Policy": f"{POLICY}frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
REQUEST_ID = re.compile(r"[\w.\-]{1,64}", re.ASCII)


class Head:
    """HEAD is GET whose body stays here (RFC 9110, section 9.3.2)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            return await self.app(scope, receive, send)

        async def bodiless(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        # A copy: the server looks into its own scope to know that no body follows.
        return await self.app({**scope, "method": "GET"}, receive, bodiless)


class Identity:
    """X-Request-ID, the caller's where it is sound, and the headers every reply carries; what
    nobody expected becomes a problem too, and goes on to the server's log."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        scope["request_id"] = request_id
        started = False

        async def named(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in SAFE.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self.app(scope, receive, named)
        except Exception:
            if not started:
                failed = problem(Request(scope), InternalError("unexpected"))
                await failed(scope, receive, named)
            raise


class Metrics:
    """Counters of one app; a registry of its own, so that two apps in a process do not mix."""

    def __init__(self, engine: Engine) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "attnscope_requests", "Requests", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "attnscope_request_seconds", "Time to the last byte", ["route"], registry=self.registry
        )
        kept = Gauge("attnscope_trace_bytes", "Traces in memory", registry=self.registry)
        kept.set_function(lambda: engine.traces.used)


class Measure:
    """Counts and times each request by its route's pattern, not its path."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        started, status = time.perf_counter(), 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            return await self.app(scope, receive, noted)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in METHODS else "other"
            self.metrics.requests.labels(method, route, str(status)).inc()
            self.metrics.seconds.labels(route).observe(time.perf_counter() - started)


METHODS = ("GET", "HEAD", "POST", "DELETE", "OPTIONS")


class Guard:
    """Refuses before work begins: bodies over the limit, wrong keys, and what comes too fast."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.keys = [key.encode() for key in settings.api_keys]
        self.body, self.upload = settings.max_body_mb << 20, settings.max_upload_mb << 20
        self.rate: RateLimitItem | None = (
            parse(settings.rate_limit) if settings.rate_limit else None
        )
        self.limiter = MovingWindowRateLimiter(MemoryStorage())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        request = Request(scope, receive)
        try:
            if scope["path"].startswith("/api/v1/"):
                self._check_key(request)
                self._check_rate(request)
            upload = scope["path"] == "/api/v1/models"
            limit = self.upload if upload else self.body
            too_large = BodyTooLarge("upload" if upload else "body", limit=limit >> 20)
            length = request.headers.get("content-length", "")
            if length.isdecimal() and int(length[:18]) > limit:
                raise too_large
        except HttpError as error:
            return await problem(request, error)(scope, receive, send)
        return await self.app(scope, _counted(receive, limit, too_large), send)

    def _check_key(self, request: Request) -> None:
        if not self.keys:
            return
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        given = key.strip() if scheme.lower() == "bearer" else request.headers.get("x-api-key", "")
        if not given:
            raise MissingKey("missing")
        sent = given.encode("latin-1")  # the bytes as they came: headers are read as Latin-1
        if not any(hmac.compare_digest(sent, key) for key in self.keys):
            raise WrongKey("wrong")

    def _check_rate(self, request: Request) -> None:
        address = request.client.host if request.client else "unknown"
        if self.rate is not None and not self.limiter.hit(self.rate, address):
            free_at = self.limiter.get_window_stats(self.rate, address).reset_time
            seconds = max(1, math.ceil(free_at - time.time()))
            raise RateLimited("too_fast", rate=str(self.rate), seconds=seconds)


def _counted(receive: Receive, limit: int, too_large: BodyTooLarge) -> Receive:
    """A body without (or with a wrong) Content-Length is counted as it comes."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise too_large
        return message

    return counted
