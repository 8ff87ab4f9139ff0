from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request, Response

from attnscope import cancellation
from attnscope.analysis.decode import (
    CacheVariant,
    Step,
    cached_layers,
    check_layer,
    decode,
    keys_of,
    row_bytes,
    step_ends,
    variants,
)
from attnscope.analysis.schema import Real, RealMaps, RealRows, described, doc
from attnscope.trace.plan import Plan
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, Layer, OneHead, TraceId, recall
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.api_v1.schemas import OfLayer
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.ranges import span
from attnscope.web.serializers.selection import JSON_BYTES, check_numbers

router = APIRouter(tags=["traces"], route_class=JsonRoute)

STEP_STAGES = ("q", "k", "v", "weights", "head_outputs", "output")
Prefill = Annotated[int, Query(ge=0, description="Tokens of the first step; 0: all one by one.")]
Steps = Annotated[str, Query(description="start:end, the steps to return; all are decoded.")]


@described
class DecodeStepReply:
    """One decoding step: its new rows, and what it read from the cache."""

    step: int = doc("From 0.")
    prefill: bool = doc("Whether it takes the prompt, several tokens at once.")
    rows: list[int] = doc("[start, end) of the rows made in this step.")
    cached: int = doc("Rows of k and v that were in the cache: 0 to cached − 1.")
    tokens: list[str | None] | None = doc("The new tokens; null without text.")
    q: RealMaps = doc("[head][new row][d_k].")
    k: RealMaps = doc("[kv_head][row up to end][d_k].")
    v: RealMaps = doc("[kv_head][row up to end][d_v].")
    weights: RealMaps = doc("[head][new row][row up to end].")
    head_outputs: RealMaps = doc("[head][new row][d_v].")
    output: RealRows = doc("[new row][d_model].")
    cache_bytes: int = doc("Bytes of all layers' caches after the step.")
    equal_to_full: Real = doc(
        "Largest difference from the full answer, over all stages and layers."
    )


@described
class CacheReply:
    """Size of the cache."""

    bytes_per_row: int = doc("k and v of one token, one layer, one key/value head.")
    num_layers: int = doc("Layers, each with a cache of its own.")
    variants: list[CacheVariant] = doc("Most key/value heads first.")


@described
class DecodeReply(OfLayer):
    """Decoding of the text, step by step."""

    head: int | None = doc("The head whose rows are returned; null: every head.")
    prefill: int = doc("Tokens taken at once in the first step; 0: none.")
    num_steps: int = doc("Steps in all; `steps` may hold some of them.")
    equal_to_full: Real = doc(
        "Largest difference from the full answer, over all steps; null: infinite."
    )
    cache: CacheReply = doc("Bytes of the cache with MHA, GQA and MQA.")
    steps: list[DecodeStepReply] = doc("In order.")


@router.get(
    "/traces/{id}/decode",
    summary="The same tokens one by one, with a KV cache",
    response_model=DecodeReply,
)
async def decoding(
    request: Request,
    id: TraceId,
    layer: Layer = 0,
    head: OneHead = None,
    batch: Batch = 0,
    prefill: Prefill = 0,
    steps: Steps = ":",
) -> Response:
    """Autoregressive decoding of a causal question: for each step q, cached and new k and v rows,
    new rows of weights and output, the cache's bytes, and the largest difference from the full
    computation."""
    planned = await recall(request, id, layer=layer, batch=batch, head=head)
    check_layer(planned, layer)
    ends = step_ends(planned, batch, prefill)
    first, last = span("steps", steps, len(ends))
    keys = [keys_of(planned, layer, batch, end) for end in ends[first:last]]
    start = ends[first - 1] if first else 0
    numbers = _numbers(planned, keys, ends[first] - start, head)
    check_numbers("decode_numbers", numbers, request.app.state.settings.max_json_numbers)

    def measure(trace: Trace) -> DecodeReply:
        worst, replies = 0.0, []
        for i, step in enumerate(decode(trace, layer, batch, ends)):
            cancellation.check()
            worst = max(worst, step.difference)
            if first <= i < last:
                fields = _step_fields(trace, step, layer, batch, head)
                replies.append(DecodeStepReply(i, i == 0 and prefill > 0, **fields))
        cache = CacheReply(
            row_bytes(planned), len(cached_layers(planned)), variants(planned, batch, ends)
        )
        return DecodeReply(id, layer, batch, head, prefill, len(ends), worst, cache, replies)

    return await reply_from_trace(
        request, planned, measure, extra=2 * JSON_BYTES * numbers, slow=True
    )


def _numbers(planned: Plan, keys: list[int], first_rows: int, head: int | None) -> int:
    """`keys` of each step; every step but the first has one new row."""
    shape = planned.model.shape
    heads, kv_heads = (shape.num_heads, shape.num_kv_heads) if head is None else (1, 1)
    cached = kv_heads * (shape.d_k + shape.d_v)
    new = heads * (shape.d_k + shape.d_v) + planned.model.output_width
    each = sum(count * (cached + heads) + new for count in keys)
    return each + (first_rows - 1) * (keys[0] * heads + new)


def _step_fields(
    trace: Trace, step: Step, layer: int, batch: int, head: int | None
) -> dict[str, Any]:
    tokens = trace.plan.words.tokens
    there = step.start
    if step.start and trace.plan.attends_to_context(layer):
        there = keys_of(trace.plan, layer, batch, step.start)
    fields: dict[str, Any] = {"rows": [step.start, step.end], "cached": there}
    fields["tokens"] = None if tokens is None else tokens[batch][step.start : step.end]
    fields |= {name: np.ascontiguousarray(_heads(trace, step, name, head)) for name in STEP_STAGES}
    return {**fields, "cache_bytes": step.cache_bytes, "equal_to_full": step.difference}


def _heads(trace: Trace, step: Step, name: str, head: int | None) -> np.ndarray:
    array = step.stages[name]
    if head is None or name == "output":
        return array
    group = trace.plan.model.shape.queries_per_kv_head if name in ("k", "v") else 1
    return array[head // group : head // group + 1]
