"""GET /traces/{id}/decode: the KV cache, step by step; GET /traces/{id}/sharing: what it saves."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request, Response

from app.analysis.decode import Step, cache_bytes, decode, step_ends, variants
from app.analysis.sharing import sharing
from app.errors import TooLarge
from app.trace.reader import out_of_range
from app.trace.run import Plan, Trace
from app.web.api_v1.spectrum import OneHead
from app.web.api_v1.traces import Batch, Layer, TraceId, recall, span
from app.web.requests import JsonRoute, in_slot
from app.web.schemas_decode import DecodeReply, SharingReply
from app.web.wire import JSON, reply, to_json

router = APIRouter(tags=["traces"], route_class=JsonRoute)

TOLD = ("q", "k", "v", "weights", "head_outputs", "output")
Prefill = Annotated[int, Query(ge=0, description="Tokens taken at once first; 0: one by one.")]
Steps = Annotated[str, Query(description="start:end, the steps to tell; all are decoded.")]


@router.get(
    "/traces/{id}/decode",
    summary="The same tokens one by one, with a KV cache",
    responses={200: {"model": DecodeReply}},
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
    """Autoregressive decoding of the text, causal questions only: of each step the new q, the k and
    v rows that came from the cache and the new ones, the new rows of weights and output, the bytes
    of the cache, and `equal_to_full`, the largest difference from the full computation."""
    planned = recall(request, id)
    _check_place(planned, layer, batch, head)
    ends = step_ends(planned, batch, prefill)
    first, last = span("steps", steps, len(ends))
    _check_numbers(planned, ends[first:last], head, request.app.state.settings.max_json_numbers)

    def measure(trace: Trace) -> bytes:
        worst, told = 0.0, []
        for i, step in enumerate(decode(trace, layer, batch, ends)):
            worst = max(worst, step.difference)
            if first <= i < last:
                about = {"step": i, "prefill": i == 0 and prefill > 0}
                told.append({**about, **_told(trace, step, batch, head)})
        layers = planned.model.num_layers
        row = cache_bytes(planned, 1, 1) // layers
        each = [asdict(one) for one in variants(planned, ends)]
        cache = {"bytes_per_row": row, "num_layers": layers, "variants": each}
        where = {"trace": id, "layer": layer, "batch": batch, "head": head, "prefill": prefill}
        found = {"num_steps": len(ends), "equal_to_full": worst, "cache": cache, "steps": told}
        return to_json({**where, **found})

    return reply(await in_slot(request, planned, measure), JSON, id, keep=True)


@router.get(
    "/traces/{id}/sharing",
    summary="Fewer key/value heads on the same weights",
    responses={200: {"model": SharingReply}},
)
async def shared(request: Request, id: TraceId, layer: Layer = 0, batch: Batch = 0) -> Response:
    """MHA → GQA → MQA: heads that share get the mean of their key/value heads; the bytes of the
    cache that saves, and the error of weights and output that it costs in this layer."""
    planned = recall(request, id)
    _check_place(planned, layer, batch, None)

    def measure(trace: Trace) -> bytes:
        told = {"trace": id, "layer": layer, "batch": batch}
        rows = [asdict(one) for one in sharing(trace, layer, batch)]
        return to_json({**told, "num_heads": planned.model.shape.num_heads, "variants": rows})

    return reply(await in_slot(request, planned, measure), JSON, id, keep=True)


def _check_place(planned: Plan, layer: int, batch: int, head: int | None) -> None:
    if layer >= planned.model.num_layers:
        raise out_of_range("layer", layer, planned.model.num_layers)
    if batch >= planned.batch:
        raise out_of_range("batch", batch, planned.batch)
    if head is not None and head >= planned.model.shape.num_heads:
        raise out_of_range("head", head, planned.model.shape.num_heads)


def _check_numbers(planned: Plan, ends: list[int], head: int | None, limit: int) -> None:
    """Raises TooLarge where the steps hold more numbers than a JSON reply may."""
    shape = planned.model.shape
    heads, kv_heads = (shape.num_heads, shape.num_kv_heads) if head is None else (1, 1)
    cached = kv_heads * (shape.d_k + shape.d_v)
    new = heads * (shape.d_k + shape.d_v) + planned.model.output_width
    numbers = sum(end * (cached + heads) + new for end in ends) + ends[0] * (ends[0] * heads + new)
    if numbers > limit:
        raise TooLarge("decode_numbers", estimate=f"{numbers:,}", limit=f"{limit:,}")


def _told(trace: Trace, step: Step, batch: int, head: int | None) -> dict[str, Any]:
    tokens = trace.plan.words.tokens
    told: dict[str, Any] = {"rows": [step.start, step.end], "cached": step.start}
    told["tokens"] = None if tokens is None else tokens[batch][step.start : step.end]
    told |= {name: np.ascontiguousarray(_heads(trace, step, name, head)) for name in TOLD}
    return {**told, "cache_bytes": step.cache_bytes, "equal_to_full": step.difference}


def _heads(trace: Trace, step: Step, name: str, head: int | None) -> np.ndarray:
    """All heads of a stage, or the one, and the key/value head that serves it."""
    array = step.stages[name]
    if head is None or name == "output":
        return array
    group = trace.plan.model.shape.queries_per_kv_head if name in ("k", "v") else 1
    return array[head // group : head // group + 1]
