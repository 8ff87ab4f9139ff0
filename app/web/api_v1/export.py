"""GET /traces/{id}/export: the numbers as a file."""

from __future__ import annotations

import csv
import io
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Query, Request, Response

from app.attention.parameters import TENSORS
from app.errors import TooLarge
from app.trace.run import Trace
from app.trace.stages import BY_NAME
from app.web.api_v1.traces import TraceId, recall
from app.web.requests import JsonRoute, run
from app.web.schemas import Index
from app.web.standalone import standalone
from app.web.wire import (
    JSON,
    SAFETENSORS,
    Selection,
    attention_json,
    attention_safetensors,
    named_arrays,
    reply,
)

router = APIRouter(tags=["traces"], route_class=JsonRoute)

Format = Literal["json", "csv", "npz", "safetensors", "html"]
MEDIA = {"json": JSON, "csv": "text/csv; charset=utf-8", "npz": "application/x-npz"} | {
    "safetensors": SAFETENSORS,
    "html": "text/html; charset=utf-8",
}


@router.get(
    "/traces/{id}/export",
    summary="Download the stages as a file",
    response_class=Response,
    responses={200: {"content": {media: {} for media in MEDIA.values()}}},
)
async def export(
    request: Request,
    id: TraceId,
    format: Annotated[Format, Query(description="json, csv, npz, safetensors or html.")] = "json",
    stages: Annotated[
        str | None, Query(description="Stage names with commas between; left out: all.")
    ] = None,
    layer: Annotated[Index | None, Query(description="This layer alone; left out: all.")] = None,
    head: Annotated[
        Index | None,
        Query(description="This head alone, k and v of the key/value head that serves it."),
    ] = None,
    parameters: Annotated[bool, Query(description="w_q, w_k … too.")] = False,
) -> Response:
    """csv has one number a line with its place (empty where masked); npz and safetensors have one
    array a stage, `layers.<i>.<stage>`, with −∞ where masked; html is a page that needs nothing
    else: it opens from disk and draws every stage."""
    planned = recall(request, id)
    names = None if stages is None else [name.strip() for name in stages.split(",")]
    chosen = planned.stages if names is None else names
    layers, heads = (None if index is None else [index] for index in (layer, head))
    selection = Selection(chosen, layers, heads, parameters)
    selection.check(planned)
    limit = request.app.state.settings.max_json_numbers
    content = await run(
        request, planned, lambda trace: _write(request, trace, format, selection, limit)
    )
    # The numbers never change; the page around them does, with every version.
    response = reply(content, MEDIA[format], planned.id, keep=format != "html")
    name = f"{_name(planned.id, names, layer, head)}.{format}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _name(trace_id: str, stages: list[str] | None, layer: int | None, head: int | None) -> str:
    """attnscope-<trace>, and what was chosen where it is not all."""
    parts = ["attnscope", trace_id[:8]]
    if stages is not None and len(stages) == 1:
        parts += stages
    parts += [f"{axis}{index}" for axis, index in (("layer", layer), ("head", head))
              if index is not None]  # fmt: skip
    return "-".join(parts)


def _write(
    request: Request, trace: Trace, format: Format, selection: Selection, limit: int
) -> bytes:
    if format == "html":
        return standalone(request, trace, selection, limit)
    if format == "json":
        return attention_json(trace, selection, limit)
    if format == "safetensors":
        return attention_safetensors(trace, selection)
    arrays = named_arrays(trace, selection)
    if format == "csv":
        numbers = sum(array.size for array in arrays.values())
        if numbers > limit:
            raise TooLarge("csv", estimate=f"{numbers:,}", limit=f"{limit:,}")
        return _csv(arrays, trace, selection)
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _csv(arrays: dict[str, np.ndarray], trace: Trace, selection: Selection) -> bytes:
    """layer, stage, batch, head, row, col, value; a place the stage has not stays empty."""
    group = trace.plan.model.shape.queries_per_kv_head
    first = selection.heads[0] if selection.heads else 0
    skipped = {"head": first, "kv_head": first // group, None: 0}
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["layer", "stage", "batch", "head", "row", "col", "value"])
    for name, array in arrays.items():
        _, layer, stage = name.split(".")
        skip = skipped[BY_NAME[stage].head_axis]
        for index, value in np.ndenumerate(array):
            place = _place(index, array.ndim, stage, skip)
            writer.writerow([layer, stage, *place, _cell(stage, value)])
    return text.getvalue().encode()


def _place(index: tuple[int, ...], ndim: int, stage: str, skip: int) -> tuple[int | str, ...]:
    """batch, head, row, col of a stage; a parameter has row and col, a bias col alone. So many
    heads before the first were left out."""
    if stage in TENSORS:
        return ("", "", *([""] * (2 - ndim)), *index)
    return (index[0], index[1] + skip, *index[2:]) if ndim == 4 else (index[0], "", *index[1:])


def _cell(stage: str, value: np.floating) -> str:
    masked = stage == "masked_scores" and np.isneginf(value)
    return "" if masked else repr(value.item())
