from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.contributions import Contributions
from attnscope.analysis.contributions import contributions as taken_apart
from attnscope.analysis.predictions import next_or_likeliest
from attnscope.analysis.schema import described, doc
from attnscope.errors import InvalidRequest
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, TraceId
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.api_v1.predictions import Position, logits_bytes, name_of, recall_row
from attnscope.web.http.requests import JsonRoute

router = APIRouter(tags=["predictions"], route_class=JsonRoute)

Piece = Annotated[
    str | None,
    Query(description="A piece of the vocabulary; left out: the one that came next, or the "
          "likeliest after the last token."),
]  # fmt: skip


@described
class OfToken:
    position: int = doc("Token after which the model predicts, from 0.")
    token: str = doc("The piece whose logit is taken apart.")


@described
class ContributionsReply(Contributions, OfToken):
    """Parts that sum to the logit of one token."""

    norm: str = doc(
        "frozen: every part is divided by the σ that the final norm has for the whole row."
    )


@router.get(
    "/traces/{id}/contributions",
    summary="How much each part adds to the logit of one piece",
    response_model=ContributionsReply,
)
async def contributions(
    request: Request, id: TraceId, batch: Batch = 0, position: Position = -1, token: Piece = None
) -> Response:
    """Direct contributions of the embedding, heads and MLPs to a logit, with the final norm frozen;
    they sum to the logit."""
    planned, row = await recall_row(request, id, batch, position)
    asked = None if token is None else piece_of(planned, token)

    def write(trace: Trace) -> ContributionsReply:
        piece = next_or_likeliest(trace, batch, row) if asked is None else asked
        parts = taken_apart(trace, batch, row, piece)
        return ContributionsReply(row, name_of(planned, piece), **vars(parts), norm="frozen")

    return await reply_from_trace(
        request, planned, write, extra=logits_bytes(planned, 1), slow=True
    )


def piece_of(planned: Plan, token: str) -> int:
    pieces = planned.model.pieces
    if pieces is None or token not in pieces.ids:
        raise InvalidRequest("no_such_piece", at="token", token=token[:40])
    return pieces.ids[token]
