from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from attnscope.analysis.sharing import sharing
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, Layer, TraceId, check_place, recall
from attnscope.web.api_v1.answers import answer
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.numbers import to_json

router = APIRouter(tags=["traces"], route_class=JsonRoute)


class SharingRowReply(BaseModel):
    """The same weights with fewer key/value heads, each the mean of a group."""

    name: str = Field(description="mha, gqa or mqa.")
    num_kv_heads: int = Field(description="Key/value heads.")
    own: bool = Field(description="Whether the trace has so many: no error but rounding.")
    parameters: int = Field(description="Numbers in w_k and w_v of the layer.")
    cache_bytes: int = Field(description="Of the whole text, all layers together.")
    max_weight_error: float | None = Field(description="Largest |difference| of a weight.")
    max_output_error: float | None = Field(description="Largest |difference| of the output.")
    relative_error: float | None = Field(description="‖difference‖ / ‖output‖, Frobenius norms.")


class SharingReply(BaseModel):
    """MHA → GQA → MQA on the same weights."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    num_heads: int = Field(description="Heads of a layer.")
    variants: list[SharingRowReply] = Field(description="Its own number first, then fewer.")


@router.get(
    "/traces/{id}/sharing",
    summary="Fewer key/value heads on the same weights",
    responses={200: {"model": SharingReply}},
)
async def shared(request: Request, id: TraceId, layer: Layer = 0, batch: Batch = 0) -> Response:
    """Groups of heads share the mean of their key/value heads (MHA → GQA → MQA): the saved bytes of
    the cache, and the errors of weights and output."""
    planned = await recall(request, id)
    check_place(planned, layer=layer, batch=batch)

    def measure(trace: Trace) -> bytes:
        fields = {"trace": id, "layer": layer, "batch": batch}
        rows = [asdict(one) for one in sharing(trace, layer, batch)]
        return to_json({**fields, "num_heads": planned.model.shape.num_heads, "variants": rows})

    extra = planned.dense_bytes // planned.model.num_layers
    return await answer(request, planned, measure, extra=extra, slow=True)
