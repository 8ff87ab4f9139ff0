from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.schema import described, optional_field
from attnscope.errors import InvalidRequest
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import (
    Merge,
    Skip,
    TraceId,
    check_maps,
    name_without,
    recall,
    recall_weights,
)
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.api_v1.attention import AttentionReply
from attnscope.web.http.replies import Content
from attnscope.web.http.requests import JsonRoute
from attnscope.web.pages.standalone import standalone, whole
from attnscope.web.serializers.files import MEDIA, TokenNames, csv_of, longest_name, npz_of
from attnscope.web.serializers.program import check_program, program_of
from attnscope.web.serializers.request import Index
from attnscope.web.serializers.selection import JSON_BYTES, Selection, check_numbers
from attnscope.web.serializers.traces import (
    attention_json,
    attention_safetensors,
    named_arrays,
    notes_of,
)

router = APIRouter(tags=["traces"], route_class=JsonRoute)

Format = Literal["json", "csv", "npz", "safetensors", "html", "py"]
UNMERGED = ("html", "py")  # formats without merged words or left-out keys
# Bytes per number, at most.
GROWTH = {"json": JSON_BYTES, "csv": 56, "html": 96}


@described
class ExportReply(AttentionReply):
    """A trace with its numbers, maybe between words or without some keys."""

    words: list[list[list[int]]] | None = optional_field(
        "With tokens=words, positions of the tokens of each word, of each text."
    )
    context_words: list[list[list[int]]] | None = optional_field(
        "Words of the contexts, where their tokens are the keys."
    )
    skip: list[int] | None = optional_field("Keys left out.")


@router.get(
    "/traces/{id}/export",
    summary="Download the stages as a file",
    response_class=Response,
    responses={
        200: {
            "model": ExportReply,
            "content": {media: {} for name, media in MEDIA.items() if name != "json"},
        }
    },
)
async def export(
    request: Request,
    id: TraceId,
    format: Annotated[
        Format, Query(description="json, csv, npz, safetensors, html or py.")
    ] = "json",
    stages: Annotated[
        str | None, Query(description="Stage names with commas between; left out: all.")
    ] = None,
    layer: Annotated[Index | None, Query(description="This layer alone; left out: all.")] = None,
    head: Annotated[
        Index | None,
        Query(description="Only this head; k and v of the key/value head that serves it."),
    ] = None,
    parameters: Annotated[bool, Query(description="Also w_q, w_k …")] = False,
    merging: Merge = None,
    skip: Skip = (),
) -> Response:
    """csv: one number per line with place and tokens (empty if masked). npz, safetensors: arrays
    `layers.<i>.<stage>`, −∞ if masked. html: a self-contained page. py: a zip of a numpy program
    with inputs, which prints its differences. With tokens=words, weights between words,
    zero-padded in a batch; with skip, weights without some keys, which are 0."""
    names = None if stages is None else [name.strip() for name in stages.split(",")]
    if merging is not None or skip:
        names = names or ["weights"]
        if format in UNMERGED or parameters:
            one, at = ("without_skip", "skip") if skip else ("without_merging", "tokens")
            raise InvalidRequest(one, at=at)
        stage = names[0] if len(names) == 1 else ""
        planned = await recall_weights(request, id, stage, merging, skip)
    else:
        as_computed = format not in UNMERGED
        planned = await recall(request, id, long=as_computed, captured=as_computed)
    chosen = planned.stages if names is None else names
    layers, heads = (None if index is None else [index] for index in (layer, head))
    selection = Selection(chosen, layers, heads, parameters, merging, skip)
    selection.check(planned, one=True)
    check_maps(request, planned, selection.computed_cells(planned))
    if format == "html":
        selection = whole(planned, selection)
    if format == "py":
        check_program(planned)
    numbers, extra = selection.numbers(planned), selection.copied_bytes(planned)
    if format in GROWTH:
        check_numbers(format, numbers, request.app.state.settings.max_json_numbers)
        extra += GROWTH[format] * numbers
    if format == "csv":
        extra += 2 * longest_name(planned) * numbers
    response = await reply_from_trace(
        request, planned, lambda trace: _write(request, trace, format, selection), MEDIA[format],
        extra=extra,
    )  # fmt: skip
    name = name_without(_name(planned.id, names, layer, head), skip)
    name += ".zip" if format == "py" else f".{format}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _name(trace_id: str, stages: list[str] | None, layer: int | None, head: int | None) -> str:
    parts = ["attnscope", trace_id[:8]]
    if stages is not None and len(stages) == 1:
        parts += stages
    parts += [f"{axis}{index}" for axis, index in (("layer", layer), ("head", head))
              if index is not None]  # fmt: skip
    return "-".join(parts)


def _write(request: Request, trace: Trace, format: Format, selection: Selection) -> Content:
    if format == "html":
        return standalone(request, trace, selection)
    if format == "py":
        return program_of(trace, notes_of(request, trace.plan))
    if format == "json":
        return attention_json(trace, selection, notes_of(request, trace.plan))
    if format == "safetensors":
        return attention_safetensors(trace, selection, notes_of(request, trace.plan))
    arrays = named_arrays(trace, selection)
    if format == "csv":
        first = selection.heads[0] if selection.heads else 0
        tokens = TokenNames(trace.plan, selection.merging is not None)
        return csv_of(arrays, trace.plan.model.shape, first, tokens)
    return npz_of(arrays)
