from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request, Response

from attnscope.trace.plan import Plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import TraceId, recall
from attnscope.web.api_v1.answers import (
    json_reply,
    plan_of,
    remember,
    reply_from_trace,
    run_on_trace,
)
from attnscope.web.api_v1.schemas import TraceReply
from attnscope.web.http.negotiation import JSON
from attnscope.web.http.replies import reply
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.request import AttentionRequest
from attnscope.web.serializers.selection import Selection, to_json
from attnscope.web.serializers.traces import describe_checks, describe_plan, notes_of

router = APIRouter(tags=["traces"], route_class=JsonRoute)


@router.post(
    "/traces",
    status_code=201,
    summary="Store a question under a link",
    responses={201: {"model": TraceReply}},
)
async def create(request: Request, body: AttentionRequest) -> Response:
    """Store a question (body of POST /attention). The reply has `Location`, but no `layers`."""
    planned = await plan_of(request, body)
    Selection.of(body).check(planned)
    content = await run_on_trace(request, planned, _describe(request, planned))
    await remember(request, planned)
    response = reply(request, content, JSON, 201)
    response.headers["Location"] = f"/api/v1/traces/{planned.id}"
    return response


@router.get("/traces/{id}", summary="Describe a trace", responses={200: {"model": TraceReply}})
async def read(request: Request, id: TraceId) -> Response:
    """The reply of POST /attention without `layers`."""
    planned = await recall(request, id, long=True, captured=True)
    return await reply_from_trace(request, planned, _describe(request, planned))


@router.get(
    "/traces/{id}/question",
    summary="The question behind a trace",
    responses={200: {"model": Question}},
)
async def question(request: Request, id: TraceId) -> Response:
    """A body for POST /attention, without defaults."""
    planned = await recall(request, id, long=True, captured=True)
    return json_reply(request, planned.question.plain())


def _describe(request: Request, planned: Plan) -> Callable[[Trace], bytes]:
    notes = notes_of(request, planned)
    return lambda trace: to_json({**describe_plan(trace.plan, notes), **describe_checks(trace)})
