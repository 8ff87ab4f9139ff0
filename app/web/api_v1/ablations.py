"""GET /traces/{id}/ablations: what each head is worth here."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from app.analysis.ablations import check_cost, dropped, log_probability
from app.analysis.predictions import check_predicts, next_or_likeliest
from app.trace.trace import Trace
from app.web.api_v1.answers import answer
from app.web.api_v1.place import Batch, TraceId, recall
from app.web.api_v1.predictions import Position, logits_bytes, place_of
from app.web.http.requests import JsonRoute
from app.web.wire.numbers import to_json

router = APIRouter(tags=["predictions"], route_class=JsonRoute)


class AblationReply(BaseModel):
    """The model without one head."""

    log_probability: float | None = Field(description="ln p of the token without this head.")
    change: float | None = Field(description="That, less ln p with it: negative where it helps.")


class AblationsReply(BaseModel):
    """Every head dropped in turn."""

    position: int = Field(description="Token after which is predicted, from 0.")
    token: str = Field(
        description="The piece that came next, or the likeliest after the last; of a model that "
        "predicts masked pieces the likeliest at the position."
    )
    log_probability: float | None = Field(description="ln p of it as the question stands.")
    heads: list[list[AblationReply]] = Field(description="[layer][head].")


@router.get(
    "/traces/{id}/ablations",
    summary="What each head is worth here",
    responses={200: {"model": AblationsReply}},
)
async def ablations(
    request: Request, id: TraceId, batch: Batch = 0, position: Position = -1
) -> Response:
    """Each head dropped in turn, beside those that the question drops: what that does to the
    log-probability of the token that came next."""
    planned = await recall(request, id)
    check_predicts(planned)
    row = place_of(planned, batch, position)
    check_cost(planned)

    def write(trace: Trace) -> bytes:
        piece = next_or_likeliest(trace, batch, row)
        whole = log_probability(trace, batch, row, piece)
        rows = [
            [{"log_probability": one, "change": one - whole} for one in layer]
            for layer in dropped(trace, batch, row, piece)
        ]
        pieces = planned.model.pieces
        token = "" if pieces is None else pieces.names[piece]
        return to_json({"position": row, "token": token, "log_probability": whole, "heads": rows})

    extra = planned.bytes + logits_bytes(planned, 1)
    return await answer(request, planned, write, extra=extra, slow=True)
