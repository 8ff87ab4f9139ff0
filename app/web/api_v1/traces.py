"""Traces: the same as POST /attention, piece by piece."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Path, Query, Request, Response
from latex2mathml.converter import convert
from safetensors.numpy import save

from app.errors import InvalidRequest
from app.trace.explain import Cell, explain
from app.trace.question import Question
from app.trace.reader import Place, Reader
from app.trace.run import Plan, Trace
from app.web.problems import language_of
from app.web.requests import JsonRoute, engine_of, plan, run
from app.web.schemas import AttentionRequest, BlockReply, CellReply, TraceReply
from app.web.wire import JSON, SAFETENSORS, Media, Selection, about, checked, reply, to_json

router = APIRouter(tags=["traces"], route_class=JsonRoute)

SPAN = re.compile(r"\s*(\d{0,12})\s*:\s*(\d{0,12})\s*", re.ASCII)
TraceId = Annotated[str, Path(description="The `trace` of POST /attention or POST /traces.")]
StageName = Annotated[str, Path(description="A stage, such as weights, or a parameter: w_q …")]
Layer = Annotated[int, Query(ge=0, description="Layer, from 0.")]
Head = Annotated[int, Query(ge=0, description="Head, along the stage's own head axis.")]
Batch = Annotated[int, Query(ge=0, description="Text of the batch, from 0.")]


@router.post(
    "/traces",
    status_code=201,
    summary="Name a question, for its link",
    responses={201: {"model": TraceReply}},
)
async def create(request: Request, body: AttentionRequest) -> Response:
    """The same body as POST /attention; the reply without `layers`, and where to find them."""
    planned = await plan(request, body)
    Selection.of(body).check(planned)
    content = await run(request, planned, _about)
    engine_of(request).remember(planned)
    response = reply(content, JSON, planned.id, keep=False, status=201)
    response.headers["Location"] = f"/api/v1/traces/{planned.id}"
    return response


@router.get(
    "/traces/{id}", summary="What is known of a trace", responses={200: {"model": TraceReply}}
)
async def read(request: Request, id: TraceId) -> Response:
    """The reply of POST /attention without `layers`."""
    planned = recall(request, id)
    return reply(await run(request, planned, _about), JSON, id, keep=True)


@router.get(
    "/traces/{id}/question",
    summary="The question behind a trace",
    responses={200: {"model": Question}},
)
async def question(request: Request, id: TraceId) -> Response:
    """A body that POST /attention takes; defaults are left out."""
    return reply(to_json(engine_of(request).recall(id).plain()), JSON, id, keep=True)


@router.get(
    "/traces/{id}/stages/{stage}",
    summary="A block of one stage",
    responses={200: {"model": BlockReply, "content": {SAFETENSORS: {}}}},
)
async def block(
    request: Request,
    id: TraceId,
    stage: StageName,
    media: Media,
    layer: Layer = 0,
    head: Head = 0,
    batch: Batch = 0,
    rows: Annotated[str, Query(description="start:end; either may be left out.")] = ":",
    cols: Annotated[str, Query(description="start:end; either may be left out.")] = ":",
) -> Response:
    """Rows and columns along the last two axes of a stage, of a parameter such as w_q, or of the
    context."""
    planned = recall(request, id)

    def write(trace: Trace) -> bytes:
        reader = Reader.at(trace, stage, Place(layer, head, batch, 0, 0))
        array = reader.slice(stage, reader.head_of(stage))
        (top, bottom), (left, right) = (
            span("rows", rows, array.shape[0]),
            span("cols", cols, array.shape[1]),
        )
        values = np.ascontiguousarray(array[top:bottom, left:right])
        told: dict[str, Any] = {"stage": stage, "layer": layer, "head": reader.head_of(stage)}
        told |= {"rows": [top, bottom], "cols": [left, right]}
        if media == JSON:
            return to_json({**told, "values": values})
        return save({f"layers.{layer}.{stage}": values}, {"attnscope": to_json(told).decode()})

    return reply(await run(request, planned, write), media, id, keep=True)


@router.get(
    "/traces/{id}/cells/{stage}",
    summary="How one cell was made",
    responses={200: {"model": CellReply}},
)
async def cell(
    request: Request,
    id: TraceId,
    stage: StageName,
    row: Annotated[int, Query(ge=0, description="Along the last axis but one.")],
    col: Annotated[int, Query(ge=0, description="Along the last axis.")],
    layer: Layer = 0,
    head: Head = 0,
    batch: Batch = 0,
) -> Response:
    """The formula with its real operands, each of which is a cell of its own."""
    planned = recall(request, id)
    place = Place(layer, head, batch, row, col)
    made = await run(request, planned, lambda trace: explain(trace, stage, place))
    data = {
        "value": made.value,
        "formula": made.formula,
        "mathml": convert(made.latex),
        "steps": [asdict(step) for step in made.steps],
        "masked_because": _because(request, planned, place, made),
    }
    return reply(to_json(data), JSON, id, keep=True)


def recall(request: Request, trace_id: str) -> Plan:
    engine = engine_of(request)
    return engine.plan(engine.recall(trace_id))


def _about(trace: Trace) -> bytes:
    return to_json({**about(trace.plan), **checked(trace)})


def _because(request: Request, planned: Plan, place: Place, made: Cell) -> str | None:
    """Every mask that closes the cell, in one sentence each."""
    if not made.closed_by:
        return None
    values = {"row": place.row, "col": place.col, "window": planned.options.mask.window or 0}
    queries, keys = planned.lengths()[place.batch]
    catalogue, language = request.app.state.catalogue, language_of(request)
    said = []
    for name in made.closed_by:
        length = queries if name == "padded_query" else keys
        if name == "padded_key" and planned.context is not None:
            name = "padded_context"
        said.append(catalogue.say(language, f"masked.{name}", {**values, "length": length}))
    return " ".join(said)


def span(name: str, text: str, size: int) -> tuple[int, int]:
    """ "2:5" → (2, 5); ends beyond the stage are cut back to it, as numpy does."""
    span = SPAN.fullmatch(text)
    if span is None:
        raise InvalidRequest("not_a_span", at=name, given=text[:40])
    start, end = span.groups()
    first, last = int(start or 0), min(int(end or size), size)
    if first >= last:
        raise InvalidRequest("empty_span", at=name, given=text[:40], size=size)
    return first, last
