"""Derivatives: POST /traces/{id}/gradients, and GET /traces/{id}/jacobian of one softmax row."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request, Response
from latex2mathml.converter import convert
from safetensors.numpy import save

from app.analysis.gradient_formulas import formulas
from app.analysis.gradients import Gradients, check_objective, gradients
from app.attention.derivatives import softmax_jacobian
from app.errors import TooLarge
from app.trace.reader import out_of_range
from app.trace.run import Trace
from app.web.api_v1.traces import Batch, Head, Layer, TraceId, recall
from app.web.requests import JsonRoute, engine_of, run
from app.web.schemas_gradients import GradientsReply, GradientsRequest, JacobianReply
from app.web.wire import JSON, SAFETENSORS, Media, Selection, named_arrays, reply, to_json

router = APIRouter(tags=["traces"], route_class=JsonRoute)

MOST_KEYS = 512  # of a row whose Jacobian is sent: a quarter of a million numbers
typeset = lru_cache(1024)(convert)  # half a millisecond each


@router.post(
    "/traces/{id}/gradients",
    summary="Derivatives of one number with respect to everything",
    responses={200: {"model": GradientsReply, "content": {SAFETENSORS: {}}}},
)
async def of_objective(
    request: Request, id: TraceId, body: GradientsRequest, media: Media
) -> Response:
    """How one number of the last output answers to every stage and every parameter before it,
    by hand-written rules and exact: a cell, half the square of a row, the sum, or any weighting
    (`custom`). Derivatives have the axes of their stages. Where one matrix serves as two (`share`),
    each has a derivative of its own, and that of the matrix is their sum.

    Ask for `Accept: application/x-safetensors` to have the arrays raw."""
    planned = recall(request, id)
    selection = Selection(body.stages, body.layers, body.heads, body.parameters)
    selection.check(planned)
    check_objective(planned, body.objective, engine_of(request).limits)
    limit = request.app.state.settings.max_json_numbers

    def write(trace: Trace) -> bytes:
        found = gradients(trace, body.objective)
        objective = body.objective.model_dump(exclude={"cotangent"}, exclude_unset=True)
        mathml = {name: typeset(latex) for name, latex in formulas(trace).items()}
        told = {"trace": id, "objective": objective, "value": found.value, "mathml": mathml}
        if media == JSON:
            return _json(told, found, selection, limit)
        return _safetensors(told, found, selection)

    return reply(await run(request, planned, write), media, id, keep=False)


@router.get(
    "/traces/{id}/jacobian",
    summary="The Jacobian of the softmax, for one row",
    responses={200: {"model": JacobianReply}},
)
async def of_row(
    request: Request,
    id: TraceId,
    row: Annotated[int, Query(ge=0, description="Query, from 0.")],
    layer: Layer = 0,
    head: Head = 0,
    batch: Batch = 0,
) -> Response:
    """How each weight of a query answers to each of its scores. Every row and every column sums
    to 0, for the weights always sum to 1."""
    planned = recall(request, id)
    place = {"layer": layer, "head": head, "batch": batch, "row": row}
    counts = (planned.model.num_layers, planned.model.shape.num_heads, planned.batch, planned.n)
    for (name, value), count in zip(place.items(), counts, strict=True):
        if value >= count:
            raise out_of_range(name, value, count)
    if planned.m > MOST_KEYS:
        raise TooLarge("jacobian", estimate=planned.m, limit=MOST_KEYS)

    def write(trace: Trace) -> bytes:
        weights = trace.layers[layer]["weights"][batch, head, row]
        jacobian = softmax_jacobian(weights)
        norm = float(np.linalg.norm(jacobian))
        told = {"weights": weights, "jacobian": jacobian, "norm": norm}
        return to_json({"trace": id, **place, **told})

    return reply(await run(request, planned, write), JSON, id, keep=True)


def _json(told: dict[str, Any], found: Gradients, selection: Selection, limit: int) -> bytes:
    """Raises TooLarge where safetensors, or a smaller selection, is the way."""
    numbers = sum(array.size for array in _arrays(found, selection).values())
    if numbers > limit:
        raise TooLarge("gradients_json", estimate=f"{numbers:,}", limit=f"{limit:,}")
    layers = []
    for index, stages in selection.cut(found.trace):
        layer: dict[str, Any] = {n: np.ascontiguousarray(a) for n, a in stages.items()}
        if selection.parameters:
            layer["parameters"] = found.trace.parameters[index].arrays()
        layers.append(layer)
    context = {} if found.context is None else {"context": found.context}
    return to_json({**told, "layers": layers, **context})


def _safetensors(told: dict[str, Any], found: Gradients, selection: Selection) -> bytes:
    return save(_arrays(found, selection), {"attnscope": to_json(told).decode()})


def _arrays(found: Gradients, selection: Selection) -> dict[str, np.ndarray]:
    """`layers.<i>.<stage>`, and `context`."""
    context = {} if found.context is None else {"context": found.context}
    return {**named_arrays(found.trace, selection), **context}
