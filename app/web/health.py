"""Outside the version: /healthz, /readyz, /metrics."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from app.errors import Busy
from app.trace.question import Question
from app.web.requests import engine_of
from app.web.schemas import AliveReply, ReadyReply
from app.web.wire import JSON, to_json

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="The process lives", responses={200: {"model": AliveReply}})
async def healthz() -> Response:
    """Always 200 while the server answers at all."""
    return Response(to_json({"status": "ok"}), 200, {"Cache-Control": "no-store"}, JSON)


@router.get(
    "/readyz",
    summary="The store is writable and the engine answers",
    responses={200: {"model": ReadyReply}},
)
async def readyz(request: Request) -> Response:
    """200 when both hold, else 503 with what is missing."""
    engine = engine_of(request)
    writable = await asyncio.to_thread(lambda: engine.models.writable())
    trace = engine.trace(engine.plan(Question(text="ready")))
    answers = trace.checks.max_row_sum_error < 1e-9
    if not (writable and answers):
        raise Busy("not_ready", store=writable, engine=answers)
    body = {"status": "ok", "store": True, "engine": True}
    return Response(to_json(body), 200, {"Cache-Control": "no-store"}, JSON)


@router.get("/metrics", summary="Counters for Prometheus", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Requests by route and status, their seconds, and the bytes of traces in memory."""
    text = generate_latest(request.app.state.metrics.registry)
    return Response(text, 200, {"Cache-Control": "no-store"}, CONTENT_TYPE_LATEST)
