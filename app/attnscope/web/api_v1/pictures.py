from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.schema import described, doc
from attnscope.errors import UnknownStage
from attnscope.tiles.picture import Spacing, Thumbnails, squares_within
from attnscope.tiles.picture_cache import MapPlace, shape_at
from attnscope.trace.stage_map import Picture, Reduce
from attnscope.trace.stages import BY_NAME, NAMES, unknown_stage
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
from attnscope.web.api_v1.answers import run_on_trace
from attnscope.web.api_v1.schemas import OfWords
from attnscope.web.http.negotiation import SAFETENSORS, Media
from attnscope.web.http.replies import reply
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.pictures import BITS, picture_cache_of, reply_in_bytes, wait_for_pass
from attnscope.web.serializers.selection import encode_values

router = APIRouter(tags=["traces"], route_class=JsonRoute)
MOST = 1024  # squares per side
MOST_SMALL = 256

Encoding = Annotated[
    Literal["u8"] | None,
    Query(
        description="u8: one byte per cell, row by row, 0 … 254 spread over X-Range, 255 closed; "
        "left out: numbers."
    ),
]
Spread = Annotated[
    Spacing,
    Query(
        description="How 0 … 254 spread over X-Range: even; root (low + (high − low) "
        "(byte / 254)²) or log (low + (high − low) (1000001^(byte / 254) − 1) / 10⁶), which "
        "separate small numbers."
    ),
]


@described
class PictureReply(OfWords):
    """A whole stage in squares."""

    stage: str = doc("Stage name.")
    layer: int = doc("Layer, from 0.")
    head: int = doc("Head, from 0; 0 where the stage has none.")
    batch: int = doc("Text of the batch, from 0.")
    side: list[int] = doc("Rows and columns of a square.")
    reduce: str = doc("How the cells of each square became one.")
    values: list[list[float | None]] = doc(
        "In masked_scores, null if all cells of a square are masked; weights are 0 there."
    )


@router.get(
    "/traces/{id}/pictures/{stage}",
    summary="A whole stage as a picture",
    responses={200: {"model": PictureReply, "content": {SAFETENSORS: {}, BITS: {}}}},
)
async def picture(
    request: Request, id: TraceId, stage: StageName, media: Media, layer: Layer = 0,
    head: Head = 0, batch: Batch = 0,
    size: Annotated[int, Query(ge=1, le=MOST, description="Cells along each side at most.")] = 512,
    reduce: Annotated[
        Reduce, Query(description="How the cells of each square become one; strongest: the "
        "one farthest from 0."),
    ] = "strongest",
    encoding: Encoding = None,
    spacing: Spread = "even",
    merging: Merge = None,
    skip: Skip = (),
) -> Response:  # fmt: skip
    """The whole stage in at most `size` × `size` rectangles, whose sides are powers of two
    (X-Side). With tokens=words, weights between words; with skip, weights without some keys,
    which are masked."""
    planned = await recall_weights(request, id, stage, merging, skip)
    if stage in NAMES:
        planned.check_has_stage(stage, layer)
    if stage not in planned.stages_of(layer if layer < planned.model.num_layers else 0):
        raise unknown_stage(stage)
    check_place(planned, layer=layer, batch=batch)
    head = head if BY_NAME[stage].head_axis else 0
    at, picture_cache = (
        MapPlace(stage, layer, head, batch, merging, skip),
        picture_cache_of(request),
    )
    squares = squares_within(shape_at(planned, at), size)
    await wait_for_pass(request, planned, at)
    cost = picture_cache.cost(planned, at, squares)
    if encoding == "u8":
        bits = await run_on_trace(
            request, planned, lambda trace: picture_cache.bits(trace, at, squares, reduce, spacing),
            cost=cost,
        )  # fmt: skip
        return reply_in_bytes(request, *bits, X_Side=",".join(map(str, squares.sides)))
    found: Picture = await run_on_trace(
        request, planned, lambda trace: picture_cache.picture(trace, at, squares, reduce),
        cost=cost,
    )  # fmt: skip
    fields = {"stage": stage, "layer": layer, "head": head, "batch": batch}
    fields |= {"side": squares.sides, "reduce": reduce}
    fields |= word_fields(planned, layer, batch, merging)
    return reply(
        request, encode_values(media, fields, f"layers.{layer}.{stage}", found.single), media
    )


@router.get(
    "/traces/{id}/thumbnails/{stage}",
    summary="A small picture of every head",
    response_class=Response,
    responses={200: {"content": {BITS: {}}}},
)
async def small_pictures(
    request: Request, id: TraceId,
    stage: StageName,
    batch: Batch = 0,
    size: Annotated[int, Query(ge=1, le=MOST_SMALL, description="Cells per side at most.")] = 64,
    encoding: Annotated[Literal["u8"], Query(description="One byte per cell.")] = "u8",
    spacing: Spread = "even",
    skip: Skip = (),
) -> Response:  # fmt: skip
    """Weights of all heads as the maximum of each rectangle: [layer, head, row, column], 0 … 254
    over X-Range, 255 masked. With skip, without some keys, which are masked."""
    planned = await recall_weights(request, id, stage, None, skip)
    if stage != "weights":
        raise UnknownStage("no_thumbnails", at="stage", stage=stage[:40])
    check_place(planned, batch=batch)
    picture_cache = picture_cache_of(request)
    found: Thumbnails = await run_on_trace(
        request,
        planned,
        lambda trace: picture_cache.head_thumbnails(trace, batch, size, spacing, skip),
        cost=picture_cache.cost_of_small(planned, size, skip),
    )
    return reply_in_bytes(request, *found)
