from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from fastapi import APIRouter, Request, Response

from attnscope.analysis.costs import MAPS, Work, linear, stages, total
from attnscope.analysis.linear import LinearHead, linear_head
from attnscope.analysis.schema import described, doc
from attnscope.attention.architecture import Shape
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, Head, Layer, TraceId, recall
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.api_v1.costs import CostReply, cost_reply
from attnscope.web.api_v1.schemas import OfHead
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.selection import JSON_BYTES, check_numbers

router = APIRouter(tags=["traces"], route_class=JsonRoute)

MAPS_AT_ONCE = 6  # maps in float64


@described
class CostsReply:
    """Operations of one head from q, k and v to its output, masked pairs included."""

    softmax: CostReply = doc("Scores, softmax and head outputs.")
    linear: CostReply = doc("Features, running sums and head outputs.")


@described
class LinearReply(LinearHead, OfHead):
    """Linear attention with elu + 1 of q and k, on the open cells of the head."""

    costs: CostsReply = doc("Operations of each kind of attention.")


@router.get(
    "/traces/{id}/linear", summary="A head with linear attention", response_model=LinearReply
)
async def linear_attention(
    request: Request, id: TraceId, layer: Layer = 0, head: Head = 0, batch: Batch = 0
) -> Response:
    """Linear attention (Katharopoulos et al. 2020) with a head's q, k and v: weights,
    differences from softmax, and operations. The model was not trained with it."""
    planned = await recall(request, id, layer=layer, head=head, batch=batch)
    numbers = math.prod(planned.shape_of("weights", layer)[-2:])
    check_numbers("linear", numbers, request.app.state.settings.max_json_numbers)

    def compare(trace: Trace) -> LinearReply:
        shape, (queries, keys) = planned.model.shape, planned.setting.at(layer).lengths[batch]

        def read(stage: str, head: int, rows: int, cols: int | None = None) -> np.ndarray:
            return trace.block(stage, layer, head, slice(rows), slice(cols), batch)

        served = shape.kv_head_of(head)
        found = linear_head(
            (read("q", head, queries), read("k", served, keys), read("v", served, keys)),
            ~np.isneginf(read("masked_scores", head, queries, keys)),
            read("weights", head, queries, keys),
            read("head_outputs", head, queries),
        )
        costs = _costs(shape, queries, keys)
        return LinearReply(id, layer, head, batch, **vars(found), costs=costs)

    extra = (MAPS_AT_ONCE * 8 + JSON_BYTES) * numbers
    return await reply_from_trace(request, planned, compare, extra=extra)


def _costs(shape: Shape, queries: int, keys: int) -> CostsReply:
    one = replace(shape, num_heads=1, num_kv_heads=1)
    work = Work(queries, queries * keys, keys)
    maps = stages(one, work)
    return CostsReply(
        cost_reply(total(maps[name] for name in MAPS), 8),
        cost_reply(total(linear(one, work).values()), 8),
    )
