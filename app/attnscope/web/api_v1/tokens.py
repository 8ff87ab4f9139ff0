from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.schema import described, doc
from attnscope.errors import InvalidRequest
from attnscope.web.api_v1.address_parameters import Batch, TraceId, recall
from attnscope.web.api_v1.answers import json_reply
from attnscope.web.api_v1.schemas import OfTrace
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.ranges import span
from attnscope.web.serializers.traces import added_in

router = APIRouter(tags=["traces"], route_class=JsonRoute)
MOST = 10_000


@described
class TokensReply(OfTrace):
    """Some tokens of one text of the batch."""

    batch: int = doc("Text of the batch, from 0.")
    rows: list[int] = doc("[start, end) among the tokens.")
    total: int = doc("Number of tokens, with padding.")
    tokens: list[str | None] | None = doc("null in padding; null without text.")
    offsets: Sequence[tuple[int, ...] | None] = doc("[start, end) in characters.")
    added: list[bool | None] | None = doc(
        "Whether the tokenizer added the token; null where `tokens` are."
    )


@router.get("/traces/{id}/tokens", summary="The tokens of a text", response_model=TokensReply)
async def tokens(
    request: Request,
    id: TraceId,
    rows: Annotated[str, Query(description="start:end; at most 10,000 are returned.")] = ":",
    batch: Batch = 0,
    context: Annotated[bool, Query(description="Tokens of the context, the keys.")] = False,
) -> Response:
    """Tokens with their offsets. Above 4,096 tokens, other replies omit them."""
    planned = await recall(request, id, long=True, captured=True, batch=batch)
    words = planned.context if context else planned.words
    if words is None:
        raise InvalidRequest("no_context", at="context")
    first, last = span("rows", rows, words.n)
    some = slice(first, min(last, first + MOST))
    names = None if words.tokens is None else words.tokens[batch][some]
    added = None if names is None else added_in(words)[batch][some]
    at = [some.start, some.stop]
    found = TokensReply(id, batch, at, words.n, names, words.offsets[batch][some], added)
    return json_reply(request, found)
