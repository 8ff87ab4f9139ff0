from __future__ import annotations

from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.gradients import MOST_KEYS
from attnscope.analysis.schema import Real, RealRows, Reals, described, doc
from attnscope.attention.derivatives import softmax_jacobian
from attnscope.errors import TooLarge
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, Head, Layer, TraceId, recall
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.api_v1.schemas import OfHead
from attnscope.web.http.requests import JsonRoute

router = APIRouter(tags=["traces"], route_class=JsonRoute)


@described
class JacobianReply(OfHead):
    """Derivative of a row of weights by its masked scores."""

    row: int = doc("Query, from 0.")
    weights: Reals = doc("A row of weights, one per key: a in the formula below.")
    jacobian: RealRows = doc(
        "diag(a) − aᵀa: row i, column j is ∂aᵢ/∂sⱼ; zeros where a key is masked."
    )
    norm: Real = doc("√ of the sum of its squares: near 0 where the softmax is saturated.")


@router.get(
    "/traces/{id}/jacobian",
    summary="The Jacobian of the softmax, for one row",
    response_model=JacobianReply,
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
    planned = await recall(request, id, layer=layer, head=head, batch=batch, row=row)
    keys = planned.shape_of("weights", layer)[-1]
    if keys > MOST_KEYS:
        raise TooLarge("jacobian", estimate=keys, limit=MOST_KEYS)

    def write(trace: Trace) -> JacobianReply:
        (weights,) = trace.block("weights", layer, head, slice(row, row + 1), batch=batch)
        jacobian = softmax_jacobian(weights)
        norm = float(np.linalg.norm(jacobian))
        return JacobianReply(id, layer, head, batch, row, weights, jacobian, norm)

    return await reply_from_trace(request, planned, write)
