from __future__ import annotations

import math
from dataclasses import asdict
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from attnscope import cancellation
from attnscope.analysis.precision import Rounded, check_cost, softmaxes, stage_errors
from attnscope.attention.dtypes import Dtype
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, Layer, TraceId, check_place, recall
from attnscope.web.api_v1.answers import answer
from attnscope.web.api_v1.plans import understood
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.numbers import to_json
from attnscope.web.serializers.opening import engine_of

router = APIRouter(tags=["traces"], route_class=JsonRoute)

ItsHead = Annotated[int, Query(ge=0, description="Head, from 0.")]
Row = Annotated[int | None, Query(ge=0, description="Tell both softmaxes of this query.")]


class StageErrorReply(BaseModel):
    """Error of one stage against float64."""

    stage: str = Field(description="Stage name.")
    largest: float | None = Field(
        description="Largest |difference| from float64; null: a number is finite in one alone."
    )
    non_finite: int = Field(description="Cells that are NaN or infinite; masked ones not counted.")


class SoftmaxReply(BaseModel):
    """Softmax of the head's masked scores, rounded after each operation."""

    overflowed: int = Field(description="Exponentials that are infinite.")
    nan_rows: int = Field(description="Rows that came out as no numbers.")
    largest_error: float | None = Field(
        description="From float64 on the same scores; null where a row is no number."
    )
    weights: list[float | None] | None = Field(
        description="The row that was asked for; null: none was, or a weight that is no number."
    )
    exponentials: list[float | None] | None = Field(
        description="What they are shares of; null: no row was asked for, or an infinite one."
    )


class SoftmaxesReply(BaseModel):
    """The naive and the stable softmax."""

    naive: SoftmaxReply = Field(description="exp(s) / Σ exp(s).")
    stable: SoftmaxReply = Field(description="exp(s − max) / Σ exp(s − max).")


class DtypeReply(BaseModel):
    """The question in one precision."""

    dtype: str = Field(description="float64, float32, float16 or bfloat16.")
    stages: list[StageErrorReply] = Field(description="Every stage of the layer and head.")
    softmax: SoftmaxesReply = Field(description="Naive beside stable.")


class PrecisionReply(BaseModel):
    """Errors of one head in every precision."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    head: int = Field(description="Head, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    row: int | None = Field(description="The query whose weights are returned; null: none.")
    dtypes: list[DtypeReply] = Field(description="float64 first.")


@router.get(
    "/traces/{id}/precision",
    summary="What every precision costs",
    responses={200: {"model": PrecisionReply}},
)
async def precision(
    request: Request,
    id: TraceId,
    layer: Layer = 0,
    head: ItsHead = 0,
    batch: Batch = 0,
    row: Row = None,
) -> Response:
    """The question in float64, float32, float16 and bfloat16, rounded after each operation: errors
    of every stage against float64, and of the naive and the stable softmax."""
    planned = await recall(request, id)
    check_place(planned, layer=layer, head=head, batch=batch, row=row)
    plans = await _plans(request, planned)
    cells = math.prod(planned.shape_of("scores", layer)[-2:])
    extra = check_cost([one.bytes for one in plans], cells, engine_of(request).limits)

    def measure(trace: Trace) -> bytes:
        engine = engine_of(request)
        exact = engine.trace(plans[0])
        rows = []
        for one in plans:
            cancellation.check()
            compared = trace if one.id == planned.id else engine.trace(one)
            errors = stage_errors(compared, exact, layer, head, batch)
            both = softmaxes(compared, layer, head, batch)
            each = {way: _row_of(rounded, row) for way, rounded in both.items()}
            stages = [asdict(error) for error in errors]
            rows.append({"dtype": one.dtype, "stages": stages, "softmax": each})
        place = {"trace": id, "layer": layer, "head": head, "batch": batch, "row": row}
        return to_json({**place, "dtypes": rows})

    return await answer(request, planned, measure, extra=extra, slow=True)


async def _plans(request: Request, planned: Plan) -> list[Plan]:
    """Raises TooLarge if float64 is too large."""
    question = planned.question
    return [
        planned
        if dtype == planned.dtype
        else await understood(request, question.model_copy(update={"dtype": dtype}), long=False)
        for dtype in get_args(Dtype)
    ]


def _row_of(rounded: Rounded, row: int | None) -> dict[str, Any]:
    numbers = {name: getattr(rounded, name) for name in ("overflowed", "nan_rows", "largest_error")}
    rows = {"weights": rounded.weights, "exponentials": rounded.exponentials}
    shown = {name: None if row is None else array[row].tolist() for name, array in rows.items()}
    return {**numbers, **shown}
