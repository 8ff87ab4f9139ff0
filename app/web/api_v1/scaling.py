"""The scaling laboratory: of random queries and keys, and of a trace's own scores."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query, Request, Response

from app.analysis.scaling import MOST_PAIRS, figures, laboratory, temperatures
from app.trace.question import MAX_SEED
from app.trace.reader import Place, Reader
from app.trace.run import Trace
from app.web.api_v1.traces import Batch, Head, Layer, TraceId, recall
from app.web.requests import JsonRoute, in_slot
from app.web.schemas_scaling import LaboratoryReply, TraceScalingReply
from app.web.wire import JSON, reply, to_json

router = APIRouter(route_class=JsonRoute)

LabSeed = Annotated[int, Query(ge=0, le=MAX_SEED, description="Names the random numbers.")]
Keys = Annotated[int, Query(ge=1, le=MOST_PAIRS, description="Keys of each query.")]
Samples = Annotated[int, Query(ge=1, le=MOST_PAIRS, description="Queries for each d_k.")]


@router.get(
    "/laboratory/scaling",
    tags=["laboratory"],
    summary="Why scores are divided by √d_k",
    responses={200: {"model": LaboratoryReply}},
)
async def random_scores(
    request: Request, seed: LabSeed = 0, n: Keys = 16, samples: Samples = 256
) -> Response:
    """Queries and keys drawn from N(0, 1), d_k = 1, 2, 4 … 1,024, with and without 1/√d_k: variance
    of the scores, entropy and largest of the weights, size of the softmax Jacobian. n × samples is
    at most 16,384."""

    def measure() -> bytes:
        told = {"seed": seed, "n": n, "samples": samples}
        widths = [asdict(width) for width in laboratory(seed, n, samples)]
        return to_json({**told, "uniform": asdict(figures([np.zeros((1, n))])), "widths": widths})

    content = await request.app.state.slots.run(measure)
    return reply(content, JSON, f"scaling-{seed}-{n}-{samples}", keep=True)


@router.get(
    "/traces/{id}/scaling",
    tags=["traces"],
    summary="One head with a larger and a smaller scale",
    responses={200: {"model": TraceScalingReply}},
)
async def own_scores(
    request: Request, id: TraceId, layer: Layer = 0, head: Head = 0, batch: Batch = 0
) -> Response:
    """The same figures of the trace's own map, its scale times 1/64, 1/32 … 64, and times √d_k
    where it is 1/√d_k: a sweep of temperatures. What positions add to the scores stays as it is."""
    planned = recall(request, id)

    def measure(trace: Trace) -> bytes:
        reader = Reader.at(trace, "scores", Place(layer, head, batch, 0, 0))
        scores, scaled, masked = (
            reader.slice(name, head) for name in ("scores", "scaled_scores", "masked_scores")
        )
        options, d_k = planned.options, planned.model.shape.d_k
        scale = options.scale / options.temperature
        unscaling = {"sqrt_d_k": math.sqrt(d_k), "none": 1.0}.get(str(planned.question.scale))
        swept = temperatures(scaled, scores, ~np.isneginf(masked), scale, unscaling or 1.0)
        rows = [
            {"factor": f, "scale": f * scale, "unscaled": f == unscaling, "figures": asdict(found)}
            for f, found in swept
        ]
        told = {"trace": id, "layer": layer, "head": head, "batch": batch, "d_k": d_k}
        return to_json({**told, "factors": rows})

    return reply(await in_slot(request, planned, measure), JSON, id, keep=True)
