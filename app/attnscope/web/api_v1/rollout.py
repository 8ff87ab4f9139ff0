from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.left_out_keys import without_keys
from attnscope.analysis.merged_words import merge_words, words_at
from attnscope.analysis.rollout import RESIDUAL, Fusion, rollout
from attnscope.analysis.schema import described, doc, optional_field
from attnscope.errors import InvalidRequest
from attnscope.trace.reading_cost import bytes_without_keys
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import (
    Batch,
    Merge,
    Skip,
    TraceId,
    check_keys,
    check_place,
    recall,
)
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.api_v1.schemas import OfTrace
from attnscope.web.http.negotiation import JSON, SAFETENSORS, Media
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.selection import JSON_BYTES, check_numbers, safetensors

router = APIRouter(tags=["traces"], route_class=JsonRoute)

HELD_MAPS = 8  # maps [n, n] in float64
UpTo = Annotated[
    int | None, Query(ge=0, description="Only the map up to this layer; default: all maps.")
]
Discard = Annotated[
    float,
    Query(ge=0, lt=1, description="Share of each row's nonzero keys to drop, lowest first."),
]


@described
class RolloutReply(OfTrace):
    """Attention rollout of one text."""

    batch: int = doc("Text of the batch, from 0.")
    combine: Fusion = doc("How the heads of a layer are combined: mean or max.")
    discard: float = doc("As asked.")
    residual: float = doc("Weight of the residual in each layer.")
    layers: list[int] = doc("Last layer of each map.")
    maps: list[list[list[float | None]]] = doc(
        "[layer][row][token]: share of each token's x in a row after the layer."
    )
    words: list[list[int]] | None = optional_field(
        "With tokens=words, positions of the tokens of each word."
    )


@router.get(
    "/traces/{id}/rollout",
    summary="Attention across layers",
    responses={200: {"model": RolloutReply, "content": {SAFETENSORS: {}}}},
)
async def across(
    request: Request, id: TraceId, media: Media, layer: UpTo = None, batch: Batch = 0,
    combine: Annotated[
        Fusion, Query(description="How the heads of a layer are combined, cell by cell.")
    ] = "mean",
    discard: Discard = 0.0,
    merging: Merge = None,
    skip: Skip = (),
) -> Response:  # fmt: skip
    """Attention rollout (Abnar & Zuidema 2020): how much of each row after a layer came from each
    token; heads are averaged, half is passed on by the residual, rows sum to 1. combine=max takes
    the maximum over heads, discard=0.9 keeps a row's top tenth, skip=0_3 drops two keys. With
    tokens=words, maps between words."""
    planned = await recall(request, id, captured=True)
    if planned.context is not None:
        raise InvalidRequest("rollout_with_context", at="id")
    check_place(planned, layer=layer, batch=batch)
    check_keys(planned, skip, merges=merging is not None)
    chosen = range(planned.model.num_layers) if layer is None else [layer]
    numbers = len(chosen) * planned.n**2
    extra = (numbers + HELD_MAPS * planned.n**2) * 8
    extra += bytes_without_keys(planned, skip, planned.model.shape.num_heads)
    if media == JSON:
        check_numbers("rollout", numbers, request.app.state.settings.max_json_numbers)
        extra += JSON_BYTES * numbers

    def mix(trace: Trace) -> Any:
        weights = weights_up_to(trace, chosen[-1], batch, skip)
        maps = {i: one for i, one in enumerate(rollout(weights, combine, discard)) if i in chosen}
        fields: dict[str, Any] = {"trace": id, "batch": batch, "combine": combine}
        fields |= {"discard": discard, "residual": RESIDUAL, "layers": list(maps)}
        if merging is not None:
            places = words_at(planned, 0, batch)
            maps = {i: merge_words(one, places, merging) for i, one in maps.items()}
            fields["words"] = places.queries
        if media == JSON:
            return {**fields, "maps": list(maps.values())}
        return safetensors({f"layers.{i}.rollout": one for i, one in maps.items()}, fields)

    return await reply_from_trace(request, planned, mix, media, extra=extra)


def weights_up_to(
    trace: Trace, layer: int, batch: int, skip: tuple[int, ...]
) -> Iterator[np.ndarray]:
    """[head, n, n] of layers 0 to `layer`."""
    for stages in trace.layers[: layer + 1]:
        weights = stages["weights"][batch]
        yield without_keys(weights, skip) if skip else weights
