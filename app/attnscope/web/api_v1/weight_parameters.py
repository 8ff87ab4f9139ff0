from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends, Query, Request

from attnscope.analysis.merged_words import Keys, Merging, Queries, WordPlaces
from attnscope.errors import InvalidRequest
from attnscope.trace.plan import Plan
from attnscope.trace.stages import out_of_range
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
        Query(
            description="With tokens=words, how the pieces of a query are merged; default: mean."
        ),
    ] = None,
) -> Merging | None:
    if tokens == "words":
        return Merging(keys or "sum", queries or "mean")
    for name, given in (("keys", keys), ("queries", queries)):
        if given is not None:
            raise InvalidRequest("without_words", at=name, name=name)
    return None


async def chosen_keys(
    skip: Annotated[
        str | None,
        Query(
            pattern=r"^\d{1,6}(_\d{1,6})*$",
            max_length=2_000,
            description="Positions of keys that are left out, joined by _ as in 0_3: each row of "
            "weights is divided by the sum of the others.",
        ),
    ] = None,
) -> tuple[int, ...]:
    return tuple(sorted({int(key) for key in skip.split("_")})) if skip else ()


Merge = Annotated[Merging | None, Depends(chosen_merging)]
Skip = Annotated[tuple[int, ...], Depends(chosen_keys)]


async def recall_weights(
    request: Request, trace_id: str, stage: str, merging: Merging | None, skip: tuple[int, ...] = ()
) -> Plan:
    """If words are merged or keys left out, raises TooLarge for long texts, and InvalidRequest
    for other stages and unknown keys."""
    changed = bool(skip) or merging is not None
    if changed and stage != "weights":
        if skip:
            raise InvalidRequest("skip_of_weights", at="skip")
        raise InvalidRequest("only_weights_by_words", at="tokens")
    planned = await recall(request, trace_id, long=not changed, captured=True)
    check_keys(planned, skip, merges=merging is not None)
    return planned


def check_keys(planned: Plan, skip: tuple[int, ...], *, merges: bool) -> None:
    if not skip:
        return
    if merges:
        raise InvalidRequest("skip_of_words", at="skip")
    most = max(planned.keys(layer) for layer in range(planned.model.num_layers))
    if skip[-1] >= most:
        raise out_of_range("skip", skip[-1], most)


def name_without(name: str, skip: tuple[int, ...]) -> str:
    return f"{name}-without-{'_'.join(map(str, skip))}"[:120] if skip else name


def word_fields(planned: Plan, layer: int, places: WordPlaces) -> dict[str, object]:
    apart = planned.asks_context(layer)
    return {"words": places.queries, "context_words": places.keys if apart else None}
