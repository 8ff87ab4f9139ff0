from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.ablations import (
    Head,
    ablate_in_groups,
    bytes_of,
    check_cost,
    log_probability,
    strongest_first,
)
from attnscope.analysis.predictions import next_or_likeliest
from attnscope.analysis.schema import described, doc
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, TraceId
from attnscope.web.api_v1.answers import is_small, reply_from_trace
from attnscope.web.api_v1.predictions import Position, logits_bytes, name_of, recall_row
from attnscope.web.http.events import EVENTS, EventStream, Report, wants_events
from attnscope.web.http.requests import JsonRoute, engine_of
from attnscope.web.serializers.selection import to_json

router = APIRouter(tags=["predictions"], route_class=JsonRoute)

Strongest = Annotated[
    int | None,
    Query(
        ge=1,
        description="Drop only this many heads, those with the largest direct contributions; the "
        "others are null. Left out: every head.",
    ),
]


@described
class AblationReply:
    """The model without one head."""

    log_probability: float | None = doc("ln p of the token without this head.")
    change: float | None = doc(
        "log_probability − ln p with the head: negative where the head helps."
    )


@described
class AblationsReply:
    """Every head dropped in turn."""

    position: int = doc("Token after which the model predicts, from 0.")
    token: str = doc(
        "The next piece of the text, or after the last token the likeliest; for a model that "
        "predicts masked pieces, the likeliest at the position."
    )
    log_probability: float | None = doc("ln p of the token, for the question as it is.")
    heads: list[list[AblationReply]] = doc("[layer][head].")


NOTHING = AblationReply(None, None)


def drop_each(
    trace: Trace, batch: int, row: int, strongest: int | None, report: Report
) -> AblationsReply:
    piece = next_or_likeliest(trace, batch, row)
    whole = log_probability(trace, batch, row, piece)
    fields: dict[str, Any] = {
        "position": row, "token": name_of(trace.plan, piece), "log_probability": whole
    }  # fmt: skip
    heads = strongest_first(trace, batch, row, piece)[:strongest]
    report({"done": 0, "of": len(heads), **fields, "heads": []})
    found: dict[Head, AblationReply] = {}
    for group in ablate_in_groups(trace, batch, row, piece, heads):
        new = {head: AblationReply(log, log - whole) for head, log in group}
        found |= new
        news = [{**head._asdict(), **vars(one)} for head, one in new.items()]
        report({"done": len(found), "of": len(heads), **fields, "heads": news})
    model = trace.plan.model
    by_layer = [
        [found.get(Head(layer, head), NOTHING) for head in range(model.shape.num_heads)]
        for layer in range(model.num_layers)
    ]
    return AblationsReply(**fields, heads=by_layer)


@router.get(
    "/traces/{id}/ablations",
    summary="What each head is worth here",
    responses={200: {"model": AblationsReply, "content": {EVENTS: {}}}},
)
async def ablations(
    request: Request, id: TraceId, batch: Batch = 0, position: Position = -1,
    strongest: Strongest = None,
) -> Response:  # fmt: skip
    """Change of the next token's log-probability if each head is dropped, in addition to the heads
    that the question drops.

    With `Accept: text/event-stream`, events `progress` (`done`, `of`, `heads` with `layer`, `head`,
    `log_probability`, `change`, largest direct contributions first) precede `reply`; closing the
    connection cancels.
    """
    planned, row = await recall_row(request, id, batch, position)
    check_cost(planned, strongest)
    extra = planned.bytes + logits_bytes(planned, 1) + bytes_of(planned)

    def work(trace: Trace, report: Report) -> bytes:
        return to_json(drop_each(trace, batch, row, strongest, report))

    if not wants_events(request):
        return await reply_from_trace(
            request, planned, lambda trace: work(trace, lambda news: None), extra=extra, slow=True
        )
    engine = engine_of(request)

    async def whole(reply: bytes) -> bytes:
        return reply

    small = is_small(planned, extra)
    size = extra + max(0, planned.bytes - engine.kept_bytes(planned))
    return EventStream(
        request, lambda report: work(engine.trace(planned), report), whole,
        size=0 if small else size, queue="small" if small else "large", joined="heads",
    )  # fmt: skip
