"""Query parameters for weights between words."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Query, Request

from attnscope.analysis.merged_words import Keys, Merging, Queries, WordPlaces
from attnscope.errors import InvalidRequest
from attnscope.trace.plan import Plan
from attnscope.web.api_v1.address_parameters import recall


async def chosen_merging(
    tokens: Annotated[
        Literal["pieces", "words"],
        Query(description="words: the weights between words, whose pieces are merged."),
    ] = "pieces",
    keys: Annotated[
        Keys | None,
        Query(description="With tokens=words, how the pieces of a key are merged; default: sum."),
    ] = None,
    queries: Annotated[
        Queries | None,
        Query(description="With tokens=words, how those of a query are merged; default: mean."),
    ] = None,
) -> Merging | None:
    if tokens == "words":
        return Merging(keys or "sum", queries or "mean")
    for name, given in (("keys", keys), ("queries", queries)):
        if given is not None:
            raise InvalidRequest("without_words", at=name, name=name)
    return None


Merge = Annotated[Merging | None, Depends(chosen_merging)]


async def recall_merged(request: Request, trace_id: str, stages: list[str] | None) -> Plan:
    """Raises InvalidRequest for other stages, TooLarge for long texts."""
    if stages != ["weights"]:
        raise InvalidRequest("only_weights_by_words", at="tokens")
    return await recall(request, trace_id, captured=True)


def word_fields(planned: Plan, layer: int, places: WordPlaces) -> dict[str, object]:
    apart = planned.asks_context(layer)
    return {"words": places.queries, "context_words": places.keys if apart else None}
