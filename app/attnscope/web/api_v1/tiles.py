from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from attnscope.analysis.merged_words import Merging
from attnscope.analysis.schema import described, doc
from attnscope.attention.attend import MAPS
from attnscope.errors import Unknown, UnknownStage
from attnscope.tiles.picture import TILE, Address, count_levels, squares_of
from attnscope.tiles.picture_cache import MapPlace, shape_at
from attnscope.trace.plan import Plan
from attnscope.trace.stage_map import Extent, Picture
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
from attnscope.web.api_v1.pictures import Encoding, Spread
from attnscope.web.api_v1.schemas import OfWords
from attnscope.web.http.events import EVENTS, EventStream, Report, wants_events
from attnscope.web.http.negotiation import JSON, SAFETENSORS, Media
from attnscope.web.http.replies import reply
from attnscope.web.http.requests import JsonRoute, engine_of
from attnscope.web.serializers.pictures import (
    BITS,
    pass_progress,
    picture_cache_of,
    reply_in_bytes,
    wait_for_pass,
)
from attnscope.web.serializers.selection import encode_values, to_json

router = APIRouter(tags=["traces"], route_class=JsonRoute)

Count = Annotated[int, Path(ge=0, description="From 0.")]


@described
class MapReply(OfWords):
    """Size of a map and range of its open cells."""

    n: int = doc("Query positions.")
    m: int = doc("Key positions.")
    tile_size: int = doc("Cells along each side of a tile.")
    levels: int = doc("Zoom levels: the last has the map's own cells.")
    min: float = doc("The smallest number of an open cell.")
    max: float = doc("The largest number of an open cell.")


@described
class TileReply(OfWords):
    """One tile of a map."""

    stage: str = doc("Stage name.")
    layer: int = doc("Layer, from 0.")
    head: int = doc("Head, from 0.")
    batch: int = doc("Text of the batch, from 0.")
    z: int = doc("Zoom level; 0 is the whole map.")
    row: int = doc("Row among the tiles of the level.")
    col: int = doc("Column among the tiles of the level.")
    reduce: str = doc("How the cells of each square became one: mean or max.")
    values: list[list[float | None]] = doc(
        "In masked_scores, null if all cells of a square are masked; weights are 0 there."
    )


@router.get(
    "/traces/{id}/map/{stage}",
    summary="A map, for viewing in tiles",
    responses={200: {"model": MapReply, "content": {EVENTS: {}}}},
)
async def about_map(
    request: Request, id: TraceId, stage: StageName, layer: Layer = 0, head: Head = 0,
    batch: Batch = 0, merging: Merge = None, skip: Skip = (),
) -> Response:  # fmt: skip
    """Size, zoom levels and range of a map. With tokens=words, weights between words; with skip,
    weights without some keys.

    Long texts need a pass over the map: with `Accept: text/event-stream`, events
    `progress` (`done`, `of`) precede `reply`; closing the connection cancels, unless another
    request waits.
    """
    planned = await _recall_map(request, id, stage, merging, skip)
    check_place(planned, layer=layer, head=head, batch=batch)
    at = MapPlace(stage, layer, head, batch, merging, skip)
    picture_cache, engine = picture_cache_of(request), engine_of(request)

    async def about(extent: Extent) -> bytes:
        n, m = shape_at(planned, at)[-2:]
        sizes = {"n": n, "m": m, "tile_size": TILE, "levels": count_levels(n, m)}
        span = {"min": extent.low, "max": extent.high}
        return to_json({**sizes, **span, **word_fields(planned, at.layer, at.batch, at.merging)})

    if not wants_events(request):
        await wait_for_pass(request, planned, at)
        extent: Extent = await run_on_trace(
            request, planned, lambda trace: picture_cache.extent(trace, at),
            cost=picture_cache.cost(planned, at),
        )  # fmt: skip
        return reply(request, await about(extent), JSON)

    def passed(report: Report) -> Extent:
        trace = engine.trace(planned)
        return picture_cache.extent(trace, at, lambda done, of: report({"done": done, "of": of}))

    size = picture_cache.cost(planned, at).bytes
    size += max(0, planned.bytes - engine.kept_bytes(planned))
    return EventStream(request, passed, about, size, pass_progress(request, planned, at))


@router.get(
    "/traces/{id}/tiles/{stage}/{layer}/{head}/{z}/{row}/{col}",
    summary="A tile of a map",
    responses={200: {"model": TileReply, "content": {SAFETENSORS: {}, BITS: {}}}},
)
async def tile(
    request: Request, id: TraceId, stage: StageName, media: Media, layer: Count, head: Count,
    z: Count, row: Count, col: Count, batch: Batch = 0,
    reduce: Annotated[
        Literal["mean", "max"], Query(description="How the cells of each square become one.")
    ] = "mean",
    encoding: Encoding = None,
    spacing: Spread = "even",
    merging: Merge = None,
    skip: Skip = (),
) -> Response:  # fmt: skip
    """256 × 256 cells of a zoom level, fewer at the edges: z = levels − 1 is full resolution,
    halved at each lower level; z = 0 is the whole map. With skip, the weights without some keys,
    whose cells are masked."""
    planned = await _recall_map(request, id, stage, merging, skip)
    check_place(planned, batch=batch)
    _check_head(planned, layer, head)
    at, picture_cache = (
        MapPlace(stage, layer, head, batch, merging, skip),
        picture_cache_of(request),
    )
    squares = squares_of(shape_at(planned, at), Address(z, row, col))
    exact = squares.sides == (1, 1) and encoding is None  # needs no pass
    if not exact:
        await wait_for_pass(request, planned, at)
    cost = picture_cache.cost(planned, at, squares, exact=exact)
    if encoding == "u8":
        bits = await run_on_trace(
            request, planned, lambda trace: picture_cache.bits(trace, at, squares, reduce, spacing),
            cost=cost,
        )  # fmt: skip
        return reply_in_bytes(request, *bits)
    picture: Picture = await run_on_trace(
        request, planned, lambda trace: picture_cache.picture(trace, at, squares, reduce),
        cost=cost,
    )  # fmt: skip
    fields: dict[str, Any] = {"stage": stage, "layer": layer, "head": head, "batch": batch}
    fields |= {"z": z, "row": row, "col": col, "reduce": reduce}
    fields |= word_fields(planned, layer, batch, at.merging)
    return reply(
        request, encode_values(media, fields, f"layers.{layer}.{stage}", picture.single), media
    )


async def _recall_map(
    request: Request, trace_id: str, stage: str, merging: Merging | None, skip: tuple[int, ...]
) -> Plan:
    planned = await recall_weights(request, trace_id, stage, merging, skip)
    if stage not in MAPS:
        raise UnknownStage("no_map", at="stage", stage=stage[:40], maps=", ".join(MAPS))
    return planned


def _check_head(planned: Plan, layer: int, head: int) -> None:
    layers, heads = planned.model.num_layers, planned.model.shape.num_heads
    if layer >= layers or head >= heads:
        there = {"last_layer": layers - 1, "last_head": heads - 1}
        raise Unknown("no_head", at="head", layer=layer, head=head, **there)
