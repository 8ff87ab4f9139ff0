from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from attnscope.analysis.contributions import contributions as taken_apart
from attnscope.analysis.predictions import check_predicts, next_or_likeliest
from attnscope.errors import InvalidRequest
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, TraceId, recall
from attnscope.web.api_v1.answers import answer
from attnscope.web.api_v1.predictions import Position, logits_bytes, place_of
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.numbers import to_json

router = APIRouter(tags=["predictions"], route_class=JsonRoute)

Piece = Annotated[
    str | None,
    Query(description="A piece of the vocabulary; left out: the one that came next, or the "
          "likeliest after the last token."),
]  # fmt: skip


class ContributionsReply(BaseModel):
    """Parts that sum to the logit of one token."""

    position: int = Field(description="Token after which is predicted, from 0.")
    token: str = Field(description="The piece whose logit is taken apart.")
    logit: float | None = Field(
        description="The sum of all parts in float64; a half precision rounds the logit that is "
        "predicted with."
    )
    embedding: float | None = Field(description="Directly from the token's own embedding.")
    heads: list[list[float | None]] = Field(description="[layer][head].")
    mlps: list[float | None] = Field(description="By layer; empty where there is no MLP.")
    bias: float | None = Field(description="Of the final norm and the projections.")
    norm: str = Field(description="frozen: σ of the final norm is that of the whole row.")


@router.get(
    "/traces/{id}/contributions",
    summary="Which part says how much for one piece",
    responses={200: {"model": ContributionsReply}},
)
async def contributions(
    request: Request, id: TraceId, batch: Batch = 0, position: Position = -1, token: Piece = None
) -> Response:
    """Direct contributions of the embedding, heads and MLPs to a logit, with the final norm frozen;
    they sum to the logit."""
    planned = await recall(request, id)
    check_predicts(planned)
    row = place_of(planned, batch, position)
    asked = None if token is None else piece_of(planned, token)

    def write(trace: Trace) -> bytes:
        piece = next_or_likeliest(trace, batch, row) if asked is None else asked
        pieces = planned.model.pieces
        name = "" if pieces is None else pieces.names[piece]
        parts = asdict(taken_apart(trace, batch, row, piece))
        return to_json({"position": row, "token": name, **parts, "norm": "frozen"})

    return await answer(request, planned, write, extra=logits_bytes(planned, 1), slow=True)


def piece_of(planned: Plan, token: str) -> int:
    """Raises InvalidRequest."""
    pieces = planned.model.pieces
    if pieces is None or token not in pieces.ids:
        raise InvalidRequest("no_such_piece", at="token", token=token[:40])
    return pieces.ids[token]
