"""GET /traces/{id}/precision: the same question in every precision."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Query, Request, Response

from app.analysis.precision import Rounded, softmaxes, stage_errors
from app.attention.precision import Dtype
from app.trace.engine import Engine
from app.trace.reader import out_of_range
from app.trace.run import Plan, Trace
from app.web.api_v1.traces import Batch, Layer, TraceId, recall
from app.web.requests import JsonRoute, engine_of, in_slot
from app.web.schemas_layers import PrecisionReply
from app.web.wire import JSON, reply, to_json

router = APIRouter(tags=["traces"], route_class=JsonRoute)

OneHead = Annotated[int, Query(ge=0, description="Head, from 0.")]
Row = Annotated[int | None, Query(ge=0, description="Tell both softmaxes of this query.")]


@router.get(
    "/traces/{id}/precision",
    summary="What every precision costs",
    responses={200: {"model": PrecisionReply}},
)
async def precision(
    request: Request,
    id: TraceId,
    layer: Layer = 0,
    head: OneHead = 0,
    batch: Batch = 0,
    row: Row = None,
) -> Response:
    """The question in float64, float32, float16 and bfloat16, rounded after each operation: how far
    every stage is from float64; and the naive softmax beside the stable one, on the masked scores
    of each precision: exponentials that overflow, rows that are no numbers, the error."""
    planned = recall(request, id)
    _check(planned, layer, head, batch, row)
    plans = _plans(engine_of(request), planned)

    def measure(trace: Trace) -> bytes:
        engine = engine_of(request)
        exact = engine.trace(plans[0])
        rows = []
        for one in plans:
            told = trace if one.id == planned.id else engine.trace(one)
            errors = stage_errors(told, exact, layer, head, batch)
            both = softmaxes(told, layer, head, batch)
            each = {way: _told(rounded, row) for way, rounded in both.items()}
            stages = [asdict(error) for error in errors]
            rows.append({"dtype": one.dtype, "stages": stages, "softmax": each})
        place = {"trace": id, "layer": layer, "head": head, "batch": batch, "row": row}
        return to_json({**place, "dtypes": rows})

    return reply(await in_slot(request, planned, measure), JSON, id, keep=True)


def _plans(engine: Engine, planned: Plan) -> list[Plan]:
    """One for each precision; raises TooLarge where float64 would take too much."""
    return [
        planned
        if dtype == planned.dtype
        else engine.plan(planned.question.model_copy(update={"dtype": dtype}))
        for dtype in get_args(Dtype)
    ]


def _told(rounded: Rounded, row: int | None) -> dict[str, Any]:
    numbers = {name: getattr(rounded, name) for name in ("overflowed", "nan_rows", "largest_error")}
    rows = {"weights": rounded.weights, "exponentials": rounded.exponentials}
    told = {name: None if row is None else array[row].tolist() for name, array in rows.items()}
    return {**numbers, **told}


def _check(planned: Plan, layer: int, head: int, batch: int, row: int | None) -> None:
    """Raises InvalidRequest for a place that is not there."""
    counts = {
        "layer": (layer, planned.model.num_layers),
        "head": (head, planned.model.shape.num_heads),
        "batch": (batch, planned.batch),
        "row": (row or 0, planned.n),
    }
    for name, (value, count) in counts.items():
        if value >= count:
            raise out_of_range(name, value, count)
