"""Singular values: GET /models/{id}/spectrum of an upload, GET /traces/{id}/spectrum of any."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from app.analysis import projections
from app.analysis.spectrum import (
    Factored,
    check_cost,
    head_bias,
    head_matrices,
    spectrum,
    whole_matrices,
)
from app.attention.parameters import Parameters, Shape
from app.trace.reader import out_of_range
from app.trace.run import Trace
from app.web.api_v1.models import ModelId
from app.web.api_v1.traces import Batch, Layer, TraceId, recall
from app.web.requests import JsonRoute, engine_of, in_slot
from app.web.schemas import Index
from app.web.schemas_weights import ModelSpectrumReply, TraceSpectrumReply
from app.web.wire import JSON, reply, to_json

router = APIRouter(route_class=JsonRoute)

OneHead = Annotated[Index | None, Query(description="This head alone; left out: every head.")]
Tensors = Annotated[bool, Query(description="false: leave out the whole tensors, which cost most.")]


@router.get(
    "/models/{id}/spectrum",
    tags=["models"],
    summary="Singular values of an upload",
    responses={200: {"model": ModelSpectrumReply}},
)
async def of_model(
    request: Request, id: ModelId, layer: Layer = 0, head: OneHead = None, tensors: Tensors = True
) -> Response:
    """Singular values, rank, condition number and determinant of `w_q`, `w_k`, `w_v` and `w_o`,
    and per head of their slices, `w_qk` = W_Q W_Kᵀ and `w_vo` = W_V W_O."""

    def measure() -> bytes:
        model = engine_of(request).find_upload(id, "id")
        _check_place(layer, len(model.layers), head, model.shape)
        return to_json(
            {"layer": layer, **_spectra(model.layers[layer], model.shape, head, tensors)}
        )

    content = await request.app.state.slots.run(measure)
    return Response(content, 200, {"Cache-Control": "no-store"}, JSON)


@router.get(
    "/traces/{id}/spectrum",
    tags=["traces"],
    summary="Singular values of a trace's parameters",
    responses={200: {"model": TraceSpectrumReply}},
)
async def of_trace(
    request: Request,
    id: TraceId,
    layer: Layer = 0,
    head: OneHead = None,
    batch: Batch = 0,
    tensors: Tensors = True,
) -> Response:
    """The same of any model, and what the matrices do to the text: the scores as the bilinear form
    x `w_qk` xᵀ, their symmetry, q, k and v from one fused product, and with `head` where the first
    two singular directions send the tokens."""
    planned = recall(request, id)
    _check_place(layer, planned.model.num_layers, head, planned.model.shape)
    if batch >= planned.batch:
        raise out_of_range("batch", batch, planned.batch)

    def measure(trace: Trace) -> bytes:
        told = _spectra(trace.parameters[layer], planned.model.shape, head, tensors)
        for one in told["heads"]:
            one |= _on_text(trace, layer, one["head"], batch, drawn=head is not None)
        x, context = projections.rows_of(trace, layer, batch)
        fused = projections.fused(x, context, trace.parameters[layer])
        where = {"trace": id, "layer": layer, "batch": batch}
        return to_json({**where, **told, "fused": asdict(fused)})

    return reply(await in_slot(request, planned, measure), JSON, id, keep=True)


def _check_place(layer: int, layers: int, head: int | None, shape: Shape) -> None:
    if layer >= layers:
        raise out_of_range("layer", layer, layers)
    if head is not None and head >= shape.num_heads:
        raise out_of_range("head", head, shape.num_heads)


def _spectra(p: Parameters, shape: Shape, head: int | None, tensors: bool) -> dict[str, Any]:
    """Raises TooLarge before the first factorisation."""
    heads = range(shape.num_heads) if head is None else [head]
    whole = whole_matrices(p) if tensors else {}
    each = {h: head_matrices(p, shape, h) for h in heads}
    check_cost([m for matrices in (whole, *each.values()) for m in matrices.values()])
    told = [
        {"head": h, "kv_head": h // shape.queries_per_kv_head, "matrices": _told(each[h])}
        for h in heads
    ]
    return {"tensors": _told(whole) if tensors else None, "heads": told}


def _told(matrices: dict[str, Factored]) -> dict[str, dict[str, Any]]:
    return {name: asdict(spectrum(matrix)) for name, matrix in matrices.items()}


def _on_text(trace: Trace, layer: int, head: int, batch: int, *, drawn: bool) -> dict[str, Any]:
    """What the matrices of one head do to one text of the batch."""
    p, shape = trace.parameters[layer], trace.plan.model.shape
    matrices = head_matrices(p, shape, head)
    x, context = projections.rows_of(trace, layer, batch)
    keys = x if context is None else context
    scores = trace.layers[layer]["scores"][batch, head, : len(x), : len(keys)]
    kv_head = head // shape.queries_per_kv_head
    biases = head_bias(p.b_q, head, shape.d_k), head_bias(p.b_k, kv_head, shape.d_k)
    options = trace.plan.options
    form = projections.bilinear(x, keys, matrices, biases, scores, options)
    geometry = None
    if drawn:
        flat = {name: m for name, m in matrices.items() if name != "w_o"}
        geometry = {n: asdict(projections.directions(n, m, x, keys)) for n, m in flat.items()}
    asymmetry = projections.asymmetry(scores) if context is None else None
    return {"bilinear": asdict(form), "asymmetry": asymmetry, "geometry": geometry}
