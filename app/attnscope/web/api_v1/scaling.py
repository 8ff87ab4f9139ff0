"""Scaling laboratory."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from attnscope.analysis.scaling import MOST_PAIRS, SAMPLES, figures, laboratory, temperatures
from attnscope.trace.cell_reader import Place, Reader
from attnscope.trace.question import MAX_SEED
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, Head, Layer, TraceId, recall
from attnscope.web.api_v1.answers import answer
from attnscope.web.http.negotiation import JSON
from attnscope.web.http.replies import reply
from attnscope.web.http.requests import JsonRoute, admission_of
from attnscope.web.serializers.numbers import to_json

router = APIRouter(route_class=JsonRoute)

LABORATORY_BYTES = 2 * MOST_PAIRS * 1024 * 8  # of the largest d_k, twice
SWEPT_MAPS = 4  # float64, per temperature
LabSeed = Annotated[int, Query(ge=0, le=MAX_SEED, description="Names the random numbers.")]
Keys = Annotated[int, Query(ge=1, le=MOST_PAIRS, description="Keys of each query.")]
Samples = Annotated[int, Query(ge=1, le=MOST_PAIRS, description="Queries for each d_k.")]


class FiguresReply(BaseModel):
    """Softmax statistics under one scale; null if they overflow."""

    variance: float | None = Field(description="Of the open scores.")
    entropy: float | None = Field(description="Of a row of weights, in nats; mean over the rows.")
    largest: float | None = Field(description="Largest weight of a row; mean over the rows.")
    jacobian: float | None = Field(
        description="Frobenius norm of diag(a) − a aᵀ of a row; mean over the rows."
    )


class WidthReply(BaseModel):
    """One d_k, scaled or not."""

    d_k: int = Field(description="Width of q and k.")
    scaled: bool = Field(description="Whether the scores are divided by √d_k.")
    predicted_variance: float = Field(description="1 with the scale, d_k without.")
    figures: FiguresReply = Field(description="As drawn.")


class LaboratoryReply(BaseModel):
    """Softmax rows of random queries and keys."""

    seed: int = Field(description="Names the random numbers.")
    n: int = Field(description="Keys of each query.")
    samples: int = Field(description="Queries for each d_k.")
    uniform: FiguresReply = Field(description="Of equal scores, to compare with.")
    widths: list[WidthReply] = Field(description="d_k = 1, 2, 4 … 1,024, scaled and not.")


class FactorReply(BaseModel):
    """The scale times a factor."""

    factor: float = Field(description="Multiplies the scale, and divides the temperature.")
    scale: float | None = Field(
        description="What multiplies the scores then, temperature included; null beyond float64."
    )
    unscaled: bool = Field(description="Whether this takes 1/√d_k away.")
    figures: FiguresReply = Field(description="Of this map.")


class TraceScalingReply(BaseModel):
    """One head's own scores, scaled more and less."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    head: int = Field(description="Head, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    d_k: int = Field(description="Width of q and k.")
    factors: list[FactorReply] = Field(description="The smallest first; 1 is the trace as it is.")


@router.get(
    "/laboratory/scaling",
    tags=["laboratory"],
    summary="Why scores are divided by √d_k",
    responses={200: {"model": LaboratoryReply}},
)
async def random_scores(
    request: Request, seed: LabSeed = 0, n: Keys = 16, samples: Samples = SAMPLES
) -> Response:
    """Queries and keys from N(0, 1), d_k = 1, 2, 4 … 1,024, with and without 1/√d_k: variance of
    the scores, entropy and largest weight, norm of the softmax Jacobian. n × samples ≤ 16,384."""

    def measure() -> bytes:
        fields = {"seed": seed, "n": n, "samples": samples}
        widths = [asdict(width) for width in laboratory(seed, n, samples)]
        return to_json({**fields, "uniform": asdict(figures([np.zeros((1, n))])), "widths": widths})

    content = await admission_of(request).run(request, measure, size=LABORATORY_BYTES)
    return reply(request, content, JSON)


@router.get(
    "/traces/{id}/scaling",
    tags=["traces"],
    summary="One head with a larger and a smaller scale",
    responses={200: {"model": TraceScalingReply}},
)
async def own_scores(
    request: Request, id: TraceId, layer: Layer = 0, head: Head = 0, batch: Batch = 0
) -> Response:
    """The same for a trace's map, its scale times 1/64, 1/32 … 64, and times √d_k if it is 1/√d_k.
    Position terms stay unscaled."""
    planned = await recall(request, id)

    def measure(trace: Trace) -> bytes:
        reader = Reader.at(trace, "scores", Place(layer, head, batch, 0, 0))
        scores, scaled, masked = (
            reader.slice(name, head) for name in ("scores", "scaled_scores", "masked_scores")
        )
        options, d_k = planned.options, planned.model.shape.d_k
        scale = options.scale / options.temperature
        unscaling = {"sqrt_d_k": math.sqrt(d_k), "none": 1.0}.get(str(planned.question.scaling))
        swept = temperatures(scaled, scores, ~np.isneginf(masked), scale, unscaling or 1.0)
        rows = [
            {"factor": f, "scale": f * scale, "unscaled": f == unscaling, "figures": asdict(found)}
            for f, found in swept
        ]
        fields = {"trace": id, "layer": layer, "head": head, "batch": batch, "d_k": d_k}
        return to_json({**fields, "factors": rows})

    extra = SWEPT_MAPS * math.prod(planned.shape_of("scores", layer)[-2:]) * 8
    return await answer(request, planned, measure, extra=extra, slow=True)
