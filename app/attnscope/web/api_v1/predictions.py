from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.predictions import ROWS, LikelyPiece, check_predicts, likeliest, surprisals
from attnscope.analysis.schema import described, doc
from attnscope.errors import InvalidRequest
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, TraceId, check_place, recall
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.http.requests import JsonRoute

router = APIRouter(tags=["predictions"], route_class=JsonRoute)

MOST_PIECES = 1000
Position = Annotated[
    int,
    Query(
        description="Token whose successor is predicted, from 0; −1: the last. A model that "
        "predicts masked pieces predicts the token itself."
    ),
]
Top = Annotated[int, Query(ge=1, le=MOST_PIECES, description="How many pieces, likeliest first.")]


@described
class PredictionsReply:
    """Predictions at one position, and the surprisal of every token."""

    position: int = doc("Token, from 0.")
    token: str = doc("The token at the position.")
    predicts: str = doc("next: the piece that follows; masked: the one at the position.")
    top: list[LikelyPiece] = doc("The likeliest pieces; empty where numbers overflowed.")
    surprises: list[float | None] = doc(
        "−ln p of each token given those before it, in nats; null for the first, where numbers "
        "overflowed, for tokens that are not the model's, and if masked pieces are predicted."
    )


async def recall_row(
    request: Request, trace_id: str, batch: int, position: int, *, long: bool = False
) -> tuple[Plan, int]:
    """Plan and row; a negative `position` counts from the end."""
    planned = await recall(request, trace_id, long=long)
    check_predicts(planned)
    check_place(planned, batch=batch)
    length = planned.words.lengths[batch]
    if not -length <= position < length:
        raise InvalidRequest("no_such_position", at="position", position=position, last=length - 1)
    return planned, position % length


def name_of(planned: Plan, piece: int) -> str:
    pieces = planned.model.pieces
    return "" if pieces is None else pieces.names[piece]


def logits_bytes(planned: Plan, rows: int) -> int:
    """Peak bytes of the logits."""
    head = planned.model.unembedding
    return 0 if head is None else 4 * 8 * rows * head.vocabulary


@router.get(
    "/traces/{id}/predictions",
    summary="What the model says comes next",
    response_model=PredictionsReply,
)
async def predictions(
    request: Request, id: TraceId, batch: Batch = 0, position: Position = -1, top: Top = 10
) -> Response:
    """Likeliest next or masked tokens, and every token's surprisal."""
    planned, row = await recall_row(request, id, batch, position, long=True)

    tokens = planned.words.tokens
    token = None if tokens is None else tokens[batch][row]

    def write(trace: Trace) -> PredictionsReply:
        predicts = "masked" if planned.model.masked else "next"
        pieces = likeliest(trace, batch, row, top)
        return PredictionsReply(row, token or "", predicts, pieces, surprisals(trace, batch))

    extra = logits_bytes(planned, min(planned.n, ROWS))
    return await reply_from_trace(request, planned, write, extra=extra, slow=True)
