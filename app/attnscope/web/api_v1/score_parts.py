from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.schema import Real, RealRows, described, doc
from attnscope.analysis.score_parts import score_parts
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import (
    Batch,
    Head,
    Layer,
    TraceId,
    check_ranges,
    recall,
)
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.http.requests import JsonRoute

router = APIRouter(tags=["traces"], route_class=JsonRoute)

Row = Annotated[int, Query(ge=0, description="Query, from 0.")]
Col = Annotated[int, Query(ge=0, description="Key, from 0.")]


@described
class PartReply:
    """One part of the residual stream."""

    of: str = doc("embedding, L0H1 (layer 0, head 1), mlp 0 or bias.")


@described
class ScorePartsReply:
    """Parts that sum to a score."""

    score: Real = doc(
        "q · k, the sum of all values, in float64; in half precision, the stage's score is rounded."
    )
    query_parts: list[PartReply] = doc("Rows of values.")
    key_parts: list[PartReply] = doc("Columns of values.")
    values: RealRows = doc("[query part][key part].")


@router.get(
    "/traces/{id}/cells/scores/parts",
    summary="Why a head looks there",
    response_model=ScorePartsReply,
)
async def parts(
    request: Request,
    id: TraceId,
    layer: Layer = 0,
    head: Head = 0,
    batch: Batch = 0,
    row: Row = 0,
    col: Col = 0,
) -> Response:
    """How much of a score comes from each pair of residual parts (embedding, heads, MLPs, bias);
    norms are frozen, rotary positions applied."""
    planned = await recall(request, id, layer=layer, head=head, batch=batch, row=row)
    check_ranges({"col": planned.shape_of("scores", layer)[-1]}, col=col)

    def write(trace: Trace) -> ScorePartsReply:
        found = score_parts(trace, layer, head, batch, row, col)
        queries, keys = ([*map(PartReply, names)] for names in (found.query_parts, found.key_parts))
        return ScorePartsReply(found.score, queries, keys, found.values)

    return await reply_from_trace(request, planned, write, slow=planned.model.num_layers > 8)
