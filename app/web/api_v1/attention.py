"""POST /attention: one call, every stage."""

from __future__ import annotations

from contextlib import suppress

from fastapi import APIRouter, Request, Response

from app.errors import StorageFull
from app.trace.run import Trace
from app.web.requests import JsonRoute, engine_of, plan, run
from app.web.schemas import AttentionReply, AttentionRequest
from app.web.wire import (
    JSON,
    SAFETENSORS,
    Media,
    Selection,
    attention_json,
    attention_safetensors,
    reply,
)

router = APIRouter(tags=["attention"], route_class=JsonRoute)


@router.post(
    "/attention",
    summary="Every stage of attention, in one call",
    responses={200: {"model": AttentionReply, "content": {SAFETENSORS: {}}}},
)
async def attention(request: Request, body: AttentionRequest, media: Media) -> Response:
    """A sentence (or tokens, or x) and a model in; x, q, k, v, scores, scaled_scores,
    masked_scores, weights, head_outputs, concat, output and block_output of every layer out.

    Ask for `Accept: application/x-safetensors` to have the arrays raw."""
    engine, selection = engine_of(request), Selection.of(body)
    planned = await plan(request, body)
    selection.check(planned)
    limit = request.app.state.settings.max_json_numbers

    def write(trace: Trace) -> bytes:
        if media == JSON:
            return attention_json(trace, selection, limit)
        return attention_safetensors(trace, selection)

    content = await run(request, planned, write)
    with suppress(StorageFull):  # the numbers are there; POST /traces alone promises a link
        engine.remember(planned)
    return reply(content, media, planned.id, keep=False)
