from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Literal

import orjson
from fastapi import Depends, Path, Query, Request

from attnscope.analysis.merged_words import Keys, Merging, Queries, words_at
from attnscope.errors import InvalidRequest, NotCaptured, TooLarge, UnknownTrace
from attnscope.storage.questions import WRITE_DELAY
from attnscope.trace.capture_plan import CapturedPlan
from attnscope.trace.plan import DENSE_TOKENS, Plan, megabytes
from attnscope.trace.question import Question
from attnscope.trace.reading_cost import MOST_COMPUTED_CELLS
from attnscope.trace.stages import out_of_range
from attnscope.web.api_v1.answers import plan_question
from attnscope.web.http.requests import LONG, admission_of, engine_of
from attnscope.web.serializers.request import Index
from attnscope.weights.json_cost import cost_of_json

TraceId = Annotated[str, Path(description="The `trace` of POST /attention or POST /traces.")]
StageName = Annotated[str, Path(description="A stage, such as weights, or a parameter: w_q …")]
Layer = Annotated[int, Query(ge=0, description="Layer, from 0.")]
Head = Annotated[int, Query(ge=0, description="Head, along the stage's own head axis.")]
Batch = Annotated[int, Query(ge=0, description="Text of the batch, from 0.")]
OneHead = Annotated[Index | None, Query(description="This head alone; left out: every head.")]


async def recall(
    request: Request,
    trace_id: str,
    *,
    long: bool = False,
    captured: bool = False,
    **place: int | None,
) -> Plan:
    """Find a trace's plan and check `place`.

    Raises UnknownTrace, TooLarge for long texts unless `long`, NotCaptured for captures unless
    `captured`, InvalidRequest for a place out of range.
    """
    planned = await _recalled(request, trace_id)
    if isinstance(planned, CapturedPlan) and not captured:
        raise NotCaptured("no_model", at="id", stages=", ".join(planned.stages))
    if not long:
        check_dense(request, planned)
    if place:
        check_place(planned, **place)
    return planned


def check_maps(request: Request, planned: Plan, cells: int) -> None:
    """Raises TooLarge for too many cells of a long text."""
    if cells > MOST_COMPUTED_CELLS:
        check_dense(request, planned)


def check_dense(request: Request, planned: Plan) -> None:
    tokens, at = max(planned.n, planned.m), planned.words.at
    if planned.long and tokens > DENSE_TOKENS:
        raise TooLarge("long", at=at, tokens=tokens, limit=DENSE_TOKENS)
    if planned.long:
        limit = engine_of(request).limits.max_trace_bytes
        sizes = {"estimate": megabytes(planned.dense_bytes), "limit": megabytes(limit)}
        if planned.whole_tokens:
            raise TooLarge("whole_trace", tokens=planned.whole_tokens, **sizes)
        raise TooLarge("trace", **sizes)


async def _recalled(request: Request, trace_id: str) -> Plan:
    engine, admission = engine_of(request), admission_of(request)
    planned = engine.known(trace_id)
    if planned is not None:
        return planned
    try:
        stored = await admission.run_on_disk_thread(lambda: engine.stored_question(trace_id))
    except UnknownTrace:  # another process may still be storing it
        await asyncio.sleep(2 * WRITE_DELAY)
        stored = await admission.run_on_disk_thread(lambda: engine.stored_question(trace_id))
    question = await admission.run(
        request,
        lambda: Question.model_validate(orjson.loads(stored)),
        size=cost_of_json(stored),
        queue="small",
    )
    return await plan_question(request, question, long=len(stored) > LONG)


def check_place(planned: Plan, **asked: int | None) -> None:
    model = planned.model
    counts = {"layer": model.num_layers, "head": model.shape.num_heads}
    rows = planned.words_of(asked.get("layer") or 0).n
    check_ranges({**counts, "batch": planned.batch, "row": rows}, **asked)


def check_ranges(counts: Mapping[str, int], **asked: int | None) -> None:
    for name, value in asked.items():
        if value is not None and value >= counts[name]:
            raise out_of_range(name, value, counts[name])


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
            description="Positions of keys to leave out, joined by _ as in 0_3: the other weights "
            "of each row are divided by their sum.",
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


def word_fields(
    planned: Plan, layer: int, batch: int, merging: Merging | None
) -> dict[str, object]:
    if merging is None:
        return {}
    places, apart = words_at(planned, layer, batch), planned.attends_to_context(layer)
    return {"words": places.queries, "context_words": places.keys if apart else None}
