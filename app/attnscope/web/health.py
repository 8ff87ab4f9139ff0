from __future__ import annotations

import asyncio
from typing import Literal, NamedTuple

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST

from attnscope.analysis.schema import described, doc
from attnscope.errors import Busy
from attnscope.trace.engine import Engine
from attnscope.trace.question import Question
from attnscope.web.api_v1.answers import uncached
from attnscope.web.http.requests import StrictRoute

router = APIRouter(tags=["health"], route_class=StrictRoute)


class ReadinessState(NamedTuple):
    uploads: bool
    questions: bool
    engine: bool


class Readiness:
    """Concurrent requests share one check."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._looking: asyncio.Task[ReadinessState] | None = None

    async def look(self) -> ReadinessState:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(asyncio.to_thread(self._look))
        return await asyncio.shield(self._looking)  # disconnected clients must not cancel the check

    def _look(self) -> ReadinessState:
        engine = self._engine
        uploads, questions = engine.models.writable(), engine.questions.sound()
        trace = engine.trace(engine.plan(Question(text="a")))
        error = trace.checks.max_row_sum_error
        return ReadinessState(uploads, questions, error is not None and error < 1e-9)


@described
class AliveReply:
    """The process runs."""

    status: Literal["ok"] = doc("ok; no other value is ever sent.")


@described
class ReadyReply(AliveReply):
    """Questions can be answered."""

    store: Literal[True] = doc("Uploads can be stored.")
    engine: Literal[True] = doc("A question was answered just now.")


@router.get("/healthz", summary="The process lives", response_model=AliveReply)
async def healthz() -> Response:
    """Always 200 while the server answers at all."""
    return uncached(AliveReply("ok"))


@router.get(
    "/readyz", summary="The store is writable and the engine answers", response_model=ReadyReply
)
async def readyz(request: Request) -> Response:
    """200 if uploads can be stored and questions answered, else 503 with the reason."""
    look: ReadinessState = await request.app.state.readiness.look()
    if not all(look):
        raise Busy("not_ready", **look._asdict())
    return uncached(ReadyReply("ok", True, True))


@router.get("/metrics", summary="Counters for Prometheus", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Requests, their seconds, memory, queues and stores, over all workers."""
    text = await asyncio.to_thread(request.app.state.metrics.text)
    return Response(text, 200, {"Cache-Control": "no-store"}, CONTENT_TYPE_LATEST)
