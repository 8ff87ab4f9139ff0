from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from attnscope.analysis.schema import described, doc
from attnscope.trace.reading_cost import Cost
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import check_maps
from attnscope.web.api_v1.answers import plan_of, remember_soon, run_on_trace
from attnscope.web.api_v1.schemas import TraceReply
from attnscope.web.http.negotiation import JSON, SAFETENSORS, Media
from attnscope.web.http.replies import Content, reply
from attnscope.web.http.requests import DirectRoute
from attnscope.web.serializers.request import AttentionRequest
from attnscope.web.serializers.selection import JSON_BYTES, Selection, check_numbers
from attnscope.web.serializers.traces import attention_json, attention_safetensors, notes_of

router = APIRouter(tags=["attention"], route_class=DirectRoute)


@described
class AttentionReply(TraceReply):
    """A trace with its numbers."""

    layers: list[dict[str, Any]] = doc(
        "Stage name → nested lists, batch axis first; masked cells are null."
    )


@router.post(
    "/attention",
    summary="Every stage of attention, in one call",
    responses={200: {"model": AttentionReply, "content": {SAFETENSORS: {}}}},
)
async def attention(request: Request, body: AttentionRequest, media: Media) -> Response:
    """All stages of all layers for a sentence (or tokens, or x) and a model. `Accept:
    application/x-safetensors` gives raw arrays."""
    selection = Selection.of(body)
    planned = await plan_of(request, body)
    selection.check(planned)
    check_maps(request, planned, selection.computed_cells(planned))
    numbers, extra = selection.numbers(planned), selection.copied_bytes(planned)
    if media == JSON:
        check_numbers("json", numbers, request.app.state.settings.max_json_numbers)
        extra += JSON_BYTES * numbers

    notes = notes_of(request, planned)

    def write(trace: Trace) -> Content:
        if media == JSON:
            return attention_json(trace, selection, notes)
        return attention_safetensors(trace, selection, notes)

    content = await run_on_trace(request, planned, write, cost=Cost(extra))
    await remember_soon(request, planned)  # only POST /traces guarantees a link
    return reply(request, content, media)
