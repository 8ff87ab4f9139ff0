from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated

import orjson
from fastapi import Path, Query, Request

from attnscope.errors import NotCaptured, TooLarge, UnknownTrace
from attnscope.storage.questions import WRITE_DELAY
from attnscope.trace.capture_plan import CapturedPlan
from attnscope.trace.plan import DENSE_TOKENS, Plan, megabytes
from attnscope.trace.question import Question
from attnscope.trace.reading_cost import MOST_MADE
from attnscope.trace.stages import out_of_range
from attnscope.web.api_v1.plans import plan_question
from attnscope.web.http.requests import LONG, admission_of, engine_of
from attnscope.web.serializers.request import Index
from attnscope.weights.json_cost import cost_of_json

TraceId = Annotated[str, Path(description="The `trace` of POST /attention or POST /traces.")]
StageName = Annotated[str, Path(description="A stage, such as weights, or a parameter: w_q …")]
Layer = Annotated[int, Query(ge=0, description="Layer, from 0.")]
Head = Annotated[int, Query(ge=0, description="Head, along the stage's own head axis.")]
Batch = Annotated[int, Query(ge=0, description="Text of the batch, from 0.")]
OneHead = Annotated[Index | None, Query(description="This head alone; left out: every head.")]


async def recall(
    request: Request,
    trace_id: str,
    *,
    long: bool = False,
    captured: bool = False,
    **place: int | None,
) -> Plan:
    """Find a trace's plan and check `place`.

    Raises UnknownTrace, TooLarge for long texts unless `long`, NotCaptured for captures unless
    `captured`, InvalidRequest for a place out of range.
    """
    planned = await _recalled(request, trace_id)
    if isinstance(planned, CapturedPlan) and not captured:
        raise NotCaptured("no_model", at="id", stages=", ".join(planned.stages))
    if not long:
        check_dense(request, planned)
    if place:
        check_place(planned, **place)
    return planned


def check_maps(request: Request, planned: Plan, cells: int) -> None:
    """Raises TooLarge if reading would compute too many cells."""
    if cells > MOST_MADE:
        check_dense(request, planned)


def check_dense(request: Request, planned: Plan) -> None:
    tokens, at = max(planned.n, planned.m), planned.words.at
    if planned.long and tokens > DENSE_TOKENS:
        raise TooLarge("long", at=at, tokens=tokens, limit=DENSE_TOKENS)
    if planned.long:
        limit = engine_of(request).limits.max_trace_bytes
        sizes = {"estimate": megabytes(planned.dense_bytes), "limit": megabytes(limit)}
        if planned.whole_tokens:
            raise TooLarge("whole_trace", tokens=planned.whole_tokens, **sizes)
        raise TooLarge("trace", **sizes)


async def _recalled(request: Request, trace_id: str) -> Plan:
    engine, admission = engine_of(request), admission_of(request)
    planned = engine.known(trace_id)
    if planned is not None:
        return planned
    try:
        stored = await admission.run_on_disk_thread(lambda: engine.stored_question(trace_id))
    except UnknownTrace:  # another process may still be storing it
        await asyncio.sleep(2 * WRITE_DELAY)
        stored = await admission.run_on_disk_thread(lambda: engine.stored_question(trace_id))
    question = await admission.run(
        request,
        lambda: Question.model_validate(orjson.loads(stored)),
        size=cost_of_json(stored),
        queue="small",
    )
    return await plan_question(request, question, long=len(stored) > LONG)


def check_place(planned: Plan, **asked: int | None) -> None:
    model = planned.model
    counts = {"layer": model.num_layers, "head": model.shape.num_heads}
    rows = planned.words_of(asked.get("layer") or 0).n
    check_ranges({**counts, "batch": planned.batch, "row": rows}, **asked)


def check_ranges(counts: Mapping[str, int], **asked: int | None) -> None:
    for name, value in asked.items():
        if value is not None and value >= counts[name]:
            raise out_of_range(name, value, counts[name])
