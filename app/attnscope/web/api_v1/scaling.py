from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.scaling import (
    MOST_PAIRS,
    SAMPLES,
    SoftmaxFigures,
    WidthFigures,
    figures_by_width,
    softmax_figures,
    sweep_scale,
)
from attnscope.analysis.schema import Real, described, doc
from attnscope.trace.question import MAX_SEED
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, Head, Layer, TraceId, recall
from attnscope.web.api_v1.answers import json_reply, reply_from_trace
from attnscope.web.api_v1.schemas import OfHead
from attnscope.web.http.requests import JsonRoute, admission_of

router = APIRouter(route_class=JsonRoute)

LABORATORY_BYTES = 2 * MOST_PAIRS * 1024 * 8  # twice all float64 keys at d_k = 1,024
SWEPT_MAPS = 4  # float64 maps held at once
LabSeed = Annotated[int, Query(ge=0, le=MAX_SEED, description="Seed of the random numbers.")]
Keys = Annotated[int, Query(ge=1, le=MOST_PAIRS, description="Keys of each query.")]
Samples = Annotated[int, Query(ge=1, le=MOST_PAIRS, description="Queries for each d_k.")]


@described
class LaboratoryReply:
    """Softmax rows of random queries and keys."""

    seed: int = doc("Seed of the random numbers.")
    n: int = doc("Keys of each query.")
    samples: int = doc("Queries for each d_k.")
    uniform: SoftmaxFigures = doc("Figures of equal scores, for comparison.")
    widths: list[WidthFigures] = doc("By d_k = 1, 2 … 1,024 and scaling.")


@described
class FactorReply:
    """One factor of the sweep."""

    factor: float = doc("Multiplies the scale (divides the temperature).")
    scale: Real = doc("scale × factor / temperature; null if float64 overflows.")
    unscaled: bool = doc("Whether it makes the scale 1.")
    figures: SoftmaxFigures = doc("Figures of the map with this scale.")


@described
class TraceScalingReply(OfHead):
    """One head with several scales."""

    d_k: int = doc("Width of q and k.")
    factors: list[FactorReply] = doc("The smallest first; 1 is the trace as it is.")


@router.get(
    "/laboratory/scaling",
    tags=["laboratory"],
    summary="Why scores are divided by √d_k",
    response_model=LaboratoryReply,
)
async def random_scores(
    request: Request, seed: LabSeed = 0, n: Keys = 16, samples: Samples = SAMPLES
) -> Response:
    """Queries and keys from N(0, 1), d_k = 1, 2, 4 … 1,024, with and without 1/√d_k: variance of
    the scores, entropy and largest weight, norm of the softmax Jacobian. n × samples ≤ 16,384."""

    def measure() -> LaboratoryReply:
        widths = figures_by_width(seed, n, samples)
        return LaboratoryReply(seed, n, samples, softmax_figures([np.zeros((1, n))]), widths)

    found = await admission_of(request).run(request, measure, size=LABORATORY_BYTES)
    return json_reply(request, found)


@router.get(
    "/traces/{id}/scaling",
    tags=["traces"],
    summary="One head with a larger and a smaller scale",
    response_model=TraceScalingReply,
)
async def own_scores(
    request: Request, id: TraceId, layer: Layer = 0, head: Head = 0, batch: Batch = 0
) -> Response:
    """Figures of one head's softmax with its scale times 1/64, 1/32 … 64, and times √d_k if the
    scale is 1/√d_k. Position terms keep their scale."""
    planned = await recall(request, id, layer=layer, head=head, batch=batch)

    def measure(trace: Trace) -> TraceScalingReply:
        setting = planned.setting.at(layer)
        queries, keys = setting.lengths[batch]
        scores, scaled, masked = (
            trace.block(name, layer, head, slice(queries), slice(keys), batch)
            for name in ("scores", "scaled_scores", "masked_scores")
        )
        d_k, options, cap = planned.model.shape.d_k, setting.options, setting.architecture.score_cap
        scale, unscaling = options.scale / options.temperature, _factor_to_one(options.scale, d_k)
        swept = sweep_scale(scaled, scores, ~np.isneginf(masked), scale, unscaling or 1.0, cap)
        rows = [FactorReply(f, f * scale, f == unscaling, found) for f, found in swept]
        return TraceScalingReply(id, layer, head, batch, d_k, rows)

    extra = SWEPT_MAPS * math.prod(planned.shape_of("scores", layer)[-2:]) * 8
    return await reply_from_trace(request, planned, measure, extra=extra, slow=True)


def _factor_to_one(scale: float, d_k: int) -> float | None:
    """Factor that makes a scale of 1/√d_k (or 1) 1; None for other scales."""
    if math.isclose(scale, 1 / math.sqrt(d_k)):
        return math.sqrt(d_k)
    return 1.0 if scale == 1 else None
