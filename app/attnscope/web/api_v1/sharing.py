from __future__ import annotations

from fastapi import APIRouter, Request, Response

from attnscope.analysis.schema import described, doc
from attnscope.analysis.sharing import SharedHeads, sharing
from attnscope.web.api_v1.address_parameters import Batch, Layer, TraceId, recall
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.api_v1.schemas import OfLayer
from attnscope.web.http.requests import JsonRoute

router = APIRouter(tags=["traces"], route_class=JsonRoute)


@described
class SharingReply(OfLayer):
    """MHA → GQA → MQA on the same weights."""

    num_heads: int = doc("Heads of a layer.")
    variants: list[SharedHeads] = doc("The trace's number of key/value heads first, then fewer.")


@router.get(
    "/traces/{id}/sharing",
    summary="Fewer key/value heads on the same weights",
    response_model=SharingReply,
)
async def shared(request: Request, id: TraceId, layer: Layer = 0, batch: Batch = 0) -> Response:
    """Groups of heads share the mean of their key/value heads (MHA → GQA → MQA): the saved bytes of
    the cache, and the errors of weights and output."""
    planned = await recall(request, id, layer=layer, batch=batch)
    num_heads = planned.model.shape.num_heads
    return await reply_from_trace(
        request,
        planned,
        lambda trace: SharingReply(id, layer, batch, num_heads, sharing(trace, layer, batch)),
        extra=planned.dense_bytes // planned.model.num_layers,
        slow=True,
    )
