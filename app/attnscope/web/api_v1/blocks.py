from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.left_out_keys import without_keys
from attnscope.analysis.merged_words import Merging, merge_words, words_at
from attnscope.analysis.schema import described, doc
from attnscope.trace.cell_reader import CellPlace
from attnscope.trace.plan import Plan
from attnscope.trace.reading_cost import MERGED_BYTES, bytes_of_block
from attnscope.trace.stages import BY_NAME, GATED_NAMES, unknown_stage
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import (
    Batch,
    Head,
    Layer,
    Merge,
    Skip,
    StageName,
    TraceId,
    check_place,
    recall_weights,
    word_fields,
)
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.api_v1.schemas import OfWords
from attnscope.web.http.negotiation import JSON, SAFETENSORS, Media
from attnscope.web.http.replies import Content
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.ranges import span
from attnscope.web.serializers.selection import JSON_BYTES, check_numbers, encode_values

router = APIRouter(tags=["traces"], route_class=JsonRoute)


@described
class BlockReply(OfWords):
    """A block of one stage."""

    stage: str = doc("Stage name.")
    layer: int = doc("Layer, from 0.")
    head: int | None = doc("Head, from 0; null where the stage has none.")
    rows: list[int] = doc("[start, end) along the last axis but one.")
    cols: list[int] = doc("[start, end) along the last axis.")
    values: list[list[float | None]] = doc("null where masked.")


@router.get(
    "/traces/{id}/stages/{stage}",
    summary="A block of one stage",
    responses={200: {"model": BlockReply, "content": {SAFETENSORS: {}}}},
)
async def block(
    request: Request,
    id: TraceId,
    stage: StageName,
    media: Media,
    layer: Layer = 0,
    head: Head = 0,
    batch: Batch = 0,
    rows: Annotated[str, Query(description="start:end; either may be left out.")] = ":",
    cols: Annotated[str, Query(description="start:end; either may be left out.")] = ":",
    merging: Merge = None,
    skip: Skip = (),
) -> Response:
    """Rows and columns of the last two axes of a stage, a parameter such as w_q, or the context.
    With tokens=words, `weights` between words; with skip, `weights` without some keys, which are
    0."""
    planned = await recall_weights(request, id, stage, merging, skip)
    if merging is not None:
        return await _between_words(request, planned, media, CellPlace(layer, head, batch, 0, 0),
                                    (rows, cols), merging)  # fmt: skip
    (top, bottom), (left, right) = _edges(planned, stage, layer, rows, cols)
    numbers = (bottom - top) * (right - left)
    extra = bytes_of_block(planned, stage, bottom - top, right - left, skip)
    if media == JSON:
        check_numbers("block", numbers, request.app.state.settings.max_json_numbers)
        extra += JSON_BYTES * numbers
    of_head = head if BY_NAME[stage].head_axis else None

    def write(trace: Trace) -> Content:
        read, there = slice(top, bottom), slice(left, right)
        if skip:
            whole_rows = trace.block(stage, layer, head, read, batch=batch)
            values = without_keys(whole_rows, skip)[:, there]
        else:
            values = trace.block(stage, layer, head, read, there, batch)
        values = np.ascontiguousarray(values)
        fields: dict[str, Any] = {"stage": stage, "layer": layer, "head": of_head}
        fields |= {"rows": [top, bottom], "cols": [left, right]}
        return encode_values(media, fields, f"layers.{layer}.{stage}", values)

    return await reply_from_trace(request, planned, write, media, extra=extra)


async def _between_words(
    request: Request, planned: Plan, media: str, place: CellPlace, spans: tuple[str, str],
    merging: Merging,
) -> Response:  # fmt: skip
    layer, head, batch = place.layer, place.head, place.batch
    check_place(planned, layer=layer, head=head, batch=batch)
    places = words_at(planned, layer, batch)
    top, bottom = span("rows", spans[0], len(places.queries))
    left, right = span("cols", spans[1], len(places.keys))
    numbers = (bottom - top) * (right - left)
    extra = MERGED_BYTES * planned.n * planned.m
    if media == JSON:
        check_numbers("block", numbers, request.app.state.settings.max_json_numbers)
        extra += JSON_BYTES * numbers

    def write(trace: Trace) -> Content:
        weights = merge_words(trace.block("weights", layer, head, batch=batch), places, merging)
        values = np.ascontiguousarray(weights[top:bottom, left:right])
        fields = {"stage": "weights", "layer": layer, "head": head}
        fields |= {"rows": [top, bottom], "cols": [left, right]}
        fields |= word_fields(planned, layer, batch, merging)
        return encode_values(media, fields, f"layers.{layer}.weights", values)

    return await reply_from_trace(request, planned, write, media, extra=extra)


def _edges(
    planned: Plan, stage: str, layer: int, rows: str, cols: str
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Ranges of rows and columns; a bias counts as one row."""
    absent = stage in GATED_NAMES and stage not in planned.stages_of(layer)
    if absent or stage not in BY_NAME:
        raise unknown_stage(stage)
    height, width = (1, *planned.shape_of(stage, layer))[-2:]
    return span("rows", rows, height), span("cols", cols, width)
