from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Literal, get_args

import numpy as np
from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.left_out_keys import without_keys
from attnscope.analysis.merged_words import Merging, merge_words, words_at
from attnscope.analysis.rollout import Fusion, rollout
from attnscope.analysis.schema import described, doc, optional_field
from attnscope.errors import InvalidRequest
from attnscope.trace.plan import Plan
from attnscope.trace.reading_cost import bytes_without_keys
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import (
    Batch,
    Merge,
    Skip,
    TraceId,
    check_keys,
    check_place,
    name_without,
    recall,
    word_fields,
)
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.api_v1.rollout import HELD_MAPS, Discard, weights_up_to
from attnscope.web.api_v1.schemas import OfTrace, OfWords
from attnscope.web.http.replies import Content
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.files import MEDIA, TokenNames, csv_of_map, longest_name, npz_of
from attnscope.web.serializers.request import Index
from attnscope.web.serializers.selection import JSON_BYTES, check_numbers, safetensors, to_json

router = APIRouter(tags=["traces"], route_class=JsonRoute)

Format = Literal["json", "csv", "npz", "safetensors"]
Combine = Literal["mean", "max", "rollout", "rollout_max"]
ROLLOUTS: dict[Combine, Fusion] = {"rollout": "mean", "rollout_max": "max"}
Place = tuple[int, int]
PAIRS = r"^\d{1,4}\.\d{1,4}(_\d{1,4}\.\d{1,4})*$"
GROWTH = {"json": JSON_BYTES, "csv": 40}


@described
class TogetherReply(OfTrace, OfWords):
    """Several heads, or the layers, as one map."""

    batch: int = doc("Text of the batch, from 0.")
    combine: str = doc("How heads or layers became one.")
    heads: str | None = doc("layer.head, joined by _; null for rollout.")
    layer: int | None = doc("The last layer of rollout; null for heads.")
    tokens: str = doc("pieces or words.")
    query_names: list[str] = doc("Token or word of each row; empty without text.")
    key_names: list[str] = doc("Token or word of each column; empty without text.")
    weights: list[list[float | None]] = doc("[query][key]; null where numbers overflow.")
    discard: float | None = optional_field("Of rollout: share of nonzero keys dropped per row.")
    skip: list[int] | None = optional_field("Keys left out.")
    keys: str | None = optional_field("With tokens=words, how the keys of a word become one.")
    queries: str | None = optional_field("With tokens=words, how a word's queries become one.")


@router.get(
    "/traces/{id}/together",
    summary="Several heads, or the layers, as one file",
    response_class=Response,
    responses={
        200: {
            "model": TogetherReply,
            "content": {MEDIA[one]: {} for one in get_args(Format) if one != "json"},
        }
    },
)
async def together(
    request: Request,
    id: TraceId,
    combine: Annotated[
        Combine,
        Query(
            description="mean or max of the heads; rollout: attention rollout up to a layer, from "
            "the mean of each layer's heads; rollout_max: from their maximum."
        ),
    ] = "mean",
    heads: Annotated[
        str | None,
        Query(pattern=PAIRS, max_length=20_000, description="layer.head, joined by _: 0.1_2.3"),
    ] = None,
    layer: Annotated[Index | None, Query(description="For rollout: the last layer.")] = None,
    discard: Discard = 0.0,
    skip: Skip = (),
    batch: Batch = 0,
    format: Annotated[Format, Query(description="json, csv, npz or safetensors.")] = "json",
    merging: Merge = None,
) -> Response:
    """Mean or maximum of some heads' weights, or rollout up to a layer; skip=0_3 leaves
    out keys 0 and 3. csv: a line for each cell, with its tokens; others: an array `weights`; json
    also names queries and keys. With tokens=words, rows and columns are words."""
    planned = await recall(request, id, captured=True)
    places = selected_places(planned, combine, heads, layer)
    if discard and combine not in ROLLOUTS:
        raise InvalidRequest("discard_of_rollout", at="discard")
    last, merges = places[-1][0], merging is not None
    check_place(planned, layer=last, batch=batch)
    check_keys(planned, skip, merges=merges)
    numbers, names = math.prod(planned.sizes(last)), TokenNames(planned, merges)
    extra = HELD_MAPS * 8 * numbers
    extra += bytes_without_keys(planned, skip, planned.model.shape.num_heads)
    if format in GROWTH:
        check_numbers("together", numbers, request.app.state.settings.max_json_numbers)
        longest = 2 * longest_name(planned) if format == "csv" else 0
        extra += (GROWTH[format] + longest) * numbers
    said = {"trace": id, "batch": batch, "combine": combine, "heads": heads, "layer": layer}
    said |= {"discard": discard} if combine in ROLLOUTS else {}
    said |= {"skip": list(skip)} if skip else {}
    said |= {"tokens": "pieces"} if merging is None else {"tokens": "words", **asdict(merging)}
    said |= word_fields(planned, last, batch, merging)

    def write(trace: Trace) -> Content:
        weights = combine_weights(
            trace, combine, places, batch, discard=discard, skip=skip, merging=merging
        )
        if format == "csv":
            return csv_of_map(weights, names, last, batch)
        if format == "json":
            own = {f"{axis}_names": names.of(last, axis, batch) for axis in ("query", "key")}
            return to_json({**said, **own, "weights": weights})
        arrays = {"weights": weights}
        return npz_of(arrays) if format == "npz" else safetensors(arrays, said)

    response = await reply_from_trace(request, planned, write, MEDIA[format], extra=extra)
    name = f"attnscope-{id[:8]}-{named(combine, places, skip, merging)}.{format}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def selected_places(
    planned: Plan, combine: Combine, heads: str | None, layer: int | None
) -> list[Place]:
    """Pairs (layer, head); for rollout one pair (layer, 0)."""
    if combine in ROLLOUTS:
        if layer is None or heads is not None:
            raise InvalidRequest("rollout_of_layer", at="layer" if layer is None else "heads")
        if planned.context is not None:
            raise InvalidRequest("rollout_with_context", at="id")
        return [(layer, 0)]
    if heads is None or layer is not None:
        raise InvalidRequest("together_of_heads", at="heads" if heads is None else "layer")
    pairs = [pair.split(".") for pair in heads.split("_")]
    places = sorted({(int(at), int(head)) for at, head in pairs})
    for at, head in places:
        check_place(planned, layer=at, head=head)
    kinds = {(planned.words_of(at).at, planned.attends_to_context(at)) for at, _ in places}
    if len(kinds) > 1:
        raise InvalidRequest("heads_of_other_keys", at="heads")
    return places


def combine_weights(
    trace: Trace, combine: Combine, places: Sequence[Place], batch: int, *,
    discard: float, skip: tuple[int, ...], merging: Merging | None,
) -> np.ndarray:  # fmt: skip
    """The combined map [query, key], in float64."""
    words = None if merging is None else words_at(trace.plan, places[-1][0], batch)

    def between(one: np.ndarray) -> np.ndarray:
        return one if merging is None or words is None else merge_words(one, words, merging)

    if combine in ROLLOUTS:
        layers = weights_up_to(trace, places[0][0], batch, skip)
        *_, last = rollout(layers, ROLLOUTS[combine], discard)
        return between(last)
    own = (trace.block("weights", layer, head, batch=batch) for layer, head in places)
    maps = (between(without_keys(one, skip) if skip else one) for one in own)
    total: np.ndarray = next(maps).astype(np.float64)
    fuse = np.add if combine == "mean" else np.maximum
    for one in maps:
        fuse(total, one, out=total)
    return total / len(places) if combine == "mean" else total


def named(
    combine: Combine, places: Sequence[Place], skip: tuple[int, ...], merging: Merging | None
) -> str:
    alone = combine not in ROLLOUTS and len(places) == 1
    name = name_without("layer{}-head{}".format(*places[0]) if alone else combine, skip)
    return name if merging is None else f"{name}-words"
