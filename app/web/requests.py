"""Reading JSON strictly, and asking the engine without blocking the others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import orjson
from fastapi import Request, Response
from fastapi.routing import APIRoute

from app.errors import Busy
from app.trace.engine import Engine
from app.trace.question import Question
from app.trace.run import Plan, Trace
from app.web.problems import InvalidJson, UnsupportedMedia

T = TypeVar("T")
LONG = 10_000  # bytes of a request; a text of so many takes some milliseconds to cut
SMALL = 200_000  # numbers; below, handing the work to a thread costs more than it saves


class JsonRequest(Request):
    async def json(self) -> Any:
        if not hasattr(self, "_parsed"):
            self._parsed = parse(await self.body())
        return self._parsed


def parse(body: bytes) -> Any:
    """JSON by orjson. What it refuses and Python's reader takes (NaN, a lone surrogate) goes on,
    so that the error can name the field."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        try:
            return json.loads(body.decode())
        except (ValueError, RecursionError):
            raise InvalidJson("not_json", line=error.lineno, column=error.colno) from None


def unchanged(request: Request, response: Response) -> Response:
    """The response, or 304 where its ETag is among those of If-None-Match (RFC 9110, 13.1.2)."""
    tag = response.headers.get("etag")
    held = [part.strip() for part in request.headers.get("if-none-match", "").split(",")]
    if tag is None or not (tag in held or f"W/{tag}" in held or "*" in held):
        return response
    kept = ("etag", "cache-control", "vary")
    return Response(None, 304, {name: response.headers[name] for name in kept})


class JsonRoute(APIRoute):
    """A route whose body is JSON: 415 for another media type, 400 for what is no JSON;
    304 where the caller has the answer already."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strict(request: Request) -> Response:
            if request.method != "POST":
                return unchanged(request, await handle(request))
            media = request.headers.get("content-type", "").split(";")[0].strip().lower()
            if media != "application/json":
                raise UnsupportedMedia("not_json", given=media or "—")
            strict_request = JsonRequest(request.scope, request.receive)
            await strict_request.json()
            return await handle(strict_request)

        return strict


class Slots:
    """So many large computations at once, so many waiting, and no more."""

    def __init__(self, slots: int, queue: int) -> None:
        self._free = asyncio.Semaphore(slots)
        self._room = slots + queue

    async def run(self, work: Callable[[], T]) -> T:
        """work() in a thread; raises Busy where too many wait already."""
        if self._room <= 0:
            raise Busy("no_slot")
        self._room -= 1
        try:
            async with self._free:
                return await asyncio.to_thread(work)
        finally:
            self._room += 1


def engine_of(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


async def plan(request: Request, question: Question) -> Plan:
    """The question understood; a long one is cut into tokens in a thread."""
    engine = engine_of(request)
    if len(await request.body()) > LONG:
        return await asyncio.to_thread(engine.plan, question)
    return engine.plan(question)


async def run(request: Request, planned: Plan, work: Callable[[Trace], T]) -> T:
    """work(trace) on the question's trace: here if it is small, else in a slot."""
    engine = engine_of(request)
    if planned.numbers <= SMALL:
        return work(engine.trace(planned))
    slots: Slots = request.app.state.slots
    return await slots.run(lambda: work(engine.trace(planned)))


async def in_slot(request: Request, planned: Plan, work: Callable[[Trace], T]) -> T:
    """work(trace) in a thread, where the work itself is long; a slot is for large questions."""
    engine = engine_of(request)
    if planned.numbers <= SMALL:
        return await asyncio.to_thread(lambda: work(engine.trace(planned)))
    slots: Slots = request.app.state.slots
    return await slots.run(lambda: work(engine.trace(planned)))
