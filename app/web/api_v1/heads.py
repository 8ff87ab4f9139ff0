"""GET /traces/{id}/heads: how every head behaves."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Request, Response

from app.analysis.heads import head_metrics
from app.trace.reader import out_of_range
from app.trace.run import Trace
from app.web.api_v1.traces import Batch, TraceId, recall
from app.web.requests import JsonRoute, run
from app.web.schemas import HeadsReply
from app.web.wire import JSON, reply, to_json

router = APIRouter(tags=["traces"], route_class=JsonRoute)


@router.get(
    "/traces/{id}/heads",
    summary="How every head behaves",
    responses={200: {"model": HeadsReply}},
)
async def heads(request: Request, id: TraceId, batch: Batch = 0) -> Response:
    """Entropy, mean distance, and the weight on the first, the previous and the own token: means
    over the queries that attend to something."""
    planned = recall(request, id)
    if batch >= planned.batch:
        raise out_of_range("batch", batch, planned.batch)

    def measure(trace: Trace) -> bytes:
        same_text = planned.context is None
        layers = [
            head_metrics(layer["weights"][batch], same_text=same_text) for layer in trace.layers
        ]
        rows = [
            {"layer": i, "head": j, **asdict(metrics)}
            for i, layer in enumerate(layers)
            for j, metrics in enumerate(layer)
        ]
        return to_json({"trace": id, "batch": batch, "heads": rows})

    return reply(await run(request, planned, measure), JSON, id, keep=True)
