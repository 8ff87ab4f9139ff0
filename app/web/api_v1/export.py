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
from app.web.api_v1.traces import TraceId, recall
from app.web.requests import JsonRoute, run
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

Format = Literal["json", "csv", "npz", "safetensors"]
MEDIA = {"json": JSON, "csv": "text/csv; charset=utf-8", "npz": "application/x-npz"} | {
    "safetensors": SAFETENSORS
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
    format: Annotated[Format, Query(description="json, csv, npz or safetensors.")] = "json",
    stages: Annotated[
        str | None, Query(description="Stage names with commas between; left out: all.")
    ] = None,
    parameters: Annotated[bool, Query(description="w_q, w_k … too.")] = False,
) -> Response:
    """csv has one number a line with its place (empty where masked); npz and safetensors have one
    array a stage, `layers.<i>.<stage>`, with −∞ where masked."""
    planned = recall(request, id)
    names = None if stages is None else [name.strip() for name in stages.split(",")]
    selection = Selection(names, parameters=parameters)
    selection.check(planned)
    limit = request.app.state.settings.max_json_numbers
    content = await run(request, planned, lambda trace: _write(trace, format, selection, limit))
    response = reply(content, MEDIA[format], planned.id, keep=True)
    name = f"attnscope-{planned.id[:8]}.{format}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _write(trace: Trace, format: Format, selection: Selection, limit: int) -> bytes:
    if format == "json":
        return attention_json(trace, selection, limit)
    if format == "safetensors":
        return attention_safetensors(trace, selection)
    arrays = named_arrays(trace, selection)
    if format == "csv":
        numbers = sum(array.size for array in arrays.values())
        if numbers > limit:
            raise TooLarge("csv", estimate=f"{numbers:,}", limit=f"{limit:,}")
        return _csv(arrays)
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _csv(arrays: dict[str, np.ndarray]) -> bytes:
    """layer, stage, batch, head, row, col, value; a place the stage has not stays empty."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["layer", "stage", "batch", "head", "row", "col", "value"])
    for name, array in arrays.items():
        _, layer, stage = name.split(".")
        for index, value in np.ndenumerate(array):
            writer.writerow([layer, stage, *_place(index, array.ndim, stage), _cell(value)])
    return text.getvalue().encode()


def _place(index: tuple[int, ...], ndim: int, stage: str) -> tuple[int | str, ...]:
    """batch, head, row, col of a stage; a parameter has row and col, a bias col alone."""
    if stage in TENSORS:
        return ("", "", *([""] * (2 - ndim)), *index)
    return index if ndim == 4 else (index[0], "", *index[1:])


def _cell(value: np.floating) -> str:
    return "" if np.isneginf(value) else repr(value.item())
