from __future__ import annotations

import math
from typing import Annotated, get_args

from fastapi import APIRouter, Query, Request, Response

from attnscope import cancellation
from attnscope.analysis.precision import (
    Rounded,
    Rounding,
    StageError,
    check_cost,
    softmaxes,
    stage_errors,
)
from attnscope.analysis.schema import Real, described, doc
from attnscope.attention.dtypes import Dtype
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, Layer, TraceId, recall
from attnscope.web.api_v1.answers import plan_question, reply_from_trace
from attnscope.web.api_v1.schemas import OfHead
from attnscope.web.http.requests import JsonRoute, engine_of

router = APIRouter(tags=["traces"], route_class=JsonRoute)

ItsHead = Annotated[int, Query(ge=0, description="Head, from 0.")]
Row = Annotated[int | None, Query(ge=0, description="Return both softmaxes of this query.")]


@described
class SoftmaxReply(Rounding):
    """Softmax of the head's masked scores, rounded after each operation."""

    weights: list[Real] | None = doc(
        "The row that was asked for, with null for NaN; null without `row`."
    )
    exponentials: list[Real] | None = doc(
        "exp(s) or exp(s − max), with null for ∞; null without `row`."
    )


@described
class SoftmaxesReply:
    """The naive and the stable softmax."""

    naive: SoftmaxReply = doc("exp(s) / Σ exp(s).")
    stable: SoftmaxReply = doc("exp(s − max) / Σ exp(s − max).")


@described
class DtypeReply:
    """The question in one precision."""

    dtype: str = doc("float64, float32, float16 or bfloat16.")
    stages: list[StageError] = doc("Every stage of the layer and head.")
    softmax: SoftmaxesReply = doc("Naive beside stable.")


@described
class PrecisionReply(OfHead):
    """Errors of one head in every precision."""

    row: int | None = doc("The query whose weights are returned; null: none.")
    dtypes: list[DtypeReply] = doc("float64 first.")


@router.get(
    "/traces/{id}/precision", summary="What every precision costs", response_model=PrecisionReply
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
    planned = await recall(request, id, layer=layer, head=head, batch=batch, row=row)
    plans = await _plans(request, planned)
    cells = math.prod(planned.shape_of("scores", layer)[-2:])
    extra = check_cost([one.bytes for one in plans], cells, engine_of(request).limits)

    def measure(trace: Trace) -> PrecisionReply:
        engine = engine_of(request)
        exact = engine.trace(plans[0])
        found = []
        for one in plans:
            cancellation.check()
            compared = trace if one.id == planned.id else engine.trace(one)
            errors = stage_errors(compared, exact, layer, head, batch)
            both = softmaxes(compared, layer, head, batch)
            rows = SoftmaxesReply(**{way: _row_of(one, row) for way, one in both.items()})
            found.append(DtypeReply(one.dtype, errors, rows))
        return PrecisionReply(id, layer, head, batch, row, found)

    return await reply_from_trace(request, planned, measure, extra=extra, slow=True)


async def _plans(request: Request, planned: Plan) -> list[Plan]:
    """Plans in each precision. Raises TooLarge if one plan is too large."""
    question = planned.question
    return [
        planned
        if dtype == planned.dtype
        else await plan_question(request, question.model_copy(update={"dtype": dtype}), long=False)
        for dtype in get_args(Dtype)
    ]


def _row_of(rounded: Rounded, row: int | None) -> SoftmaxReply:
    weights, exponentials = (
        None if row is None else array[row].tolist()
        for array in (rounded.weights, rounded.exponentials)
    )
    return SoftmaxReply(
        rounded.overflowed, rounded.nan_rows, rounded.largest_error, weights, exponentials
    )
