from __future__ import annotations

from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from attnscope.analysis.gradients import MOST_KEYS
from attnscope.attention.derivatives import softmax_jacobian
from attnscope.errors import TooLarge
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, Head, Layer, TraceId, check_place, recall
from attnscope.web.api_v1.answers import answer
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.numbers import to_json

router = APIRouter(tags=["traces"], route_class=JsonRoute)


class JacobianReply(BaseModel):
    """Derivative of a row of weights by its masked scores."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    head: int = Field(description="Head, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    row: int = Field(description="Query, from 0.")
    weights: list[float | None] = Field(description="The row a of weights, one a key.")
    jacobian: list[list[float | None]] = Field(
        description="diag(a) − aᵀa: row i, column j is ∂aᵢ/∂sⱼ; zeros where a key is masked."
    )
    norm: float | None = Field(
        description="√ of the sum of its squares: near 0 where the softmax is saturated."
    )


@router.get(
    "/traces/{id}/jacobian",
    summary="The Jacobian of the softmax, for one row",
    responses={200: {"model": JacobianReply}},
)
async def of_row(
    request: Request,
    id: TraceId,
    row: Annotated[int, Query(ge=0, description="Query, from 0.")],
    layer: Layer = 0,
    head: Head = 0,
    batch: Batch = 0,
) -> Response:
    """Derivatives of a query's weights by its scores. Rows and columns sum to 0."""
    planned = await recall(request, id)
    place = {"layer": layer, "head": head, "batch": batch, "row": row}
    check_place(planned, **place)
    keys = planned.shape_of("weights", layer)[-1]
    if keys > MOST_KEYS:
        raise TooLarge("jacobian", estimate=keys, limit=MOST_KEYS)

    def write(trace: Trace) -> bytes:
        weights = trace.layers[layer]["weights"][batch, head, row]
        jacobian = softmax_jacobian(weights)
        norm = float(np.linalg.norm(jacobian))
        fields = {"weights": weights, "jacobian": jacobian, "norm": norm}
        return to_json({"trace": id, **place, **fields})

    return await answer(request, planned, write)
