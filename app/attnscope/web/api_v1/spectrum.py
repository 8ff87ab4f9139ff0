"""Singular values of uploads, installed models and traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from attnscope.analysis import projections
from attnscope.analysis.spectrum import (
    Factored,
    all_matrices,
    check_cost,
    head_bias,
    head_matrices,
    spectrum,
    stand_in,
    whole_matrices,
)
from attnscope.analysis.unseen import principal, unseen
from attnscope.attention.parameters import Parameters, Shape
from attnscope.errors import ModelChanged
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import (
    Batch,
    Layer,
    OneHead,
    TraceId,
    check_place,
    check_ranges,
    recall,
)
from attnscope.web.api_v1.answers import answer
from attnscope.web.api_v1.installed import Name
from attnscope.web.api_v1.models import ModelId
from attnscope.web.http.negotiation import JSON
from attnscope.web.http.requests import JsonRoute, admission_of
from attnscope.web.serializers.numbers import to_json
from attnscope.web.serializers.opening import engine_of, open_upload, registry_now

router = APIRouter(route_class=JsonRoute)

Revision = Annotated[str | None, Query(description="As `revisions` tells; else the last.")]
Tensors = Annotated[bool, Query(description="false: leave out the whole tensors, which cost most.")]


class SpectrumReply(BaseModel):
    """Singular values of one matrix, and derived figures."""

    shape: list[int] = Field(description="[rows, columns].")
    singular_values: list[float] = Field(description="min(shape) of them, the largest first.")
    rank: int = Field(description="How many are above σ₁ · max(shape) · eps of the dtype.")
    condition_number: float | None = Field(description="σ₁ / σ_min; null: infinite.")
    condition_within_rank: float | None = Field(description="σ₁ / σ_rank; null where all are 0.")
    frobenius_norm: float | None = Field(description="√ of the sum of their squares.")
    determinant: float | None = Field(
        description="null where not square, or beyond the range of float64."
    )
    log_abs_determinant: float | None = Field(
        description="ln |determinant|; null where not square, or where the determinant is 0."
    )


class UnseenReply(BaseModel):
    """Null space of x → x W, and the tokens' share in it."""

    dimensions: int = Field(description="How many directions it has: d_model − rank.")
    share: float = Field(description="Part of the tokens' squared lengths that lies in it.")
    shares: list[float] = Field(description="The same of each token.")
    directions: list[list[float]] = Field(
        description="[direction][row of the matrix]: the two along which most of it lies."
    )
    tokens: list[list[float | None]] = Field(description="[token][direction]: x along them.")


class PrincipalReply(BaseModel):
    """First two principal components of the tokens."""

    shares: list[float] = Field(description="Part of the variance of each.")
    directions: list[list[float]] = Field(description="[direction][column of x].")
    tokens: list[list[float | None]] = Field(
        description="[token][direction]: x less its mean, along them."
    )


class DirectionsReply(BaseModel):
    """First two singular directions, and the tokens' coordinates."""

    singular_values: list[float] = Field(description="Names of the axes: one a direction.")
    left: list[list[float]] = Field(description="[direction][row of the matrix].")
    right: list[list[float]] = Field(description="[direction][column of the matrix].")
    tokens_left: list[list[float | None]] = Field(
        description="[token][direction]: x · left; the context's rows for w_k, w_v and w_vo, the "
        "head's outputs for w_o."
    )
    tokens_right: list[list[float | None]] = Field(
        description="[token][direction]: the image (x W) · right; of w_qk the keys, c · right."
    )
    unseen: UnseenReply | None = Field(
        description="Of w_q, w_k and w_v; null of products, and where the tokens are too many."
    )


class BilinearReply(BaseModel):
    """S = x w_qk cᵀ and the bias terms, compared with the scores."""

    max_error: float | None = Field(
        description="Largest |S − scores × scale / temperature|; null with rotary positions, where "
        "w_qk turns with the distance."
    )
    terms: dict[str, float | None] = Field(
        description="Largest |number| of each term: x_w_qk_x, x_w_q_b_k, b_q_w_k_x, b_q_b_k."
    )


class HeadSpectraReply(BaseModel):
    """The matrices of one head."""

    head: int = Field(description="Head, from 0.")
    kv_head: int = Field(description="The key/value head that serves it.")
    matrices: dict[str, SpectrumReply] = Field(
        description="w_q, w_k, w_v, w_o, w_qk = W_Q W_Kᵀ and w_vo = W_V W_O of this head."
    )


class TraceHeadReply(HeadSpectraReply):
    """The matrices of one head, applied to the text."""

    bilinear: BilinearReply = Field(description="The scores as one bilinear form.")
    asymmetry: float | None = Field(
        description="Largest |scores − scoresᵀ|: 0 where w_q = w_k; null in cross-attention."
    )
    geometry: dict[str, DirectionsReply] | None = Field(
        description="Where each matrix sends the tokens; null unless `head` is given."
    )


class ModelSpectrumReply(BaseModel):
    """Spectra of one layer."""

    layer: int = Field(description="Layer, from 0.")
    tensors: dict[str, SpectrumReply] | None = Field(
        description="w_q, w_k, w_v, w_o, all heads side by side; null with tensors=false."
    )
    heads: list[HeadSpectraReply] = Field(description="Every head, or the one asked for.")


class FusedReply(BaseModel):
    """One fused product against separate ones."""

    tensors: list[str] = Field(description="w_q, w_k, w_v; with a context w_k and w_v.")
    columns: int = Field(description="Columns of the fused matrix.")
    max_difference: float | None = Field(description="Largest |fused − apart|.")


class TraceSpectrumReply(BaseModel):
    """Spectra of one layer, applied to one text."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    tensors: dict[str, SpectrumReply] | None = Field(
        description="w_q, w_k, w_v, w_o, all heads side by side; null with tensors=false."
    )
    heads: list[TraceHeadReply] = Field(description="Every head, or the one asked for.")
    fused: FusedReply = Field(description="W_QKV in one product.")
    principal: PrincipalReply | None = Field(
        description="Where the tokens spread most; null unless `head` is given, and where they are "
        "too many."
    )


@router.get(
    "/models/{id}/spectrum",
    tags=["models"],
    summary="Singular values of an upload",
    responses={200: {"model": ModelSpectrumReply}},
)
async def of_model(
    request: Request, id: ModelId, layer: Layer = 0, head: OneHead = None, tensors: Tensors = True
) -> Response:
    """Singular values, rank, condition number and determinant of `w_q`, `w_k`, `w_v`, `w_o`, and of
    each head's slices, `w_qk` = W_Q W_Kᵀ and `w_vo` = W_V W_O."""
    model = await open_upload(request, id, lambda: engine_of(request).find_upload(id, "id"))

    def measure() -> bytes:
        counts = {"layer": len(model.layers), "head": model.shape.num_heads}
        check_ranges(counts, layer=layer, head=head)
        p, shape, heads = model.layers[layer], model.shape, _heads(head, model.shape)
        check_cost(all_matrices(p, shape, heads, tensors=tensors))
        return to_json({"layer": layer, **_spectra(p, shape, heads, tensors)})

    content = await admission_of(request).run(request, measure, size=model.held, queue="small")
    return Response(content, 200, {"Cache-Control": "no-store"}, JSON)


@router.get(
    "/models/installed/{name:path}/spectrum",
    tags=["models"],
    summary="Singular values of a model on the server",
    responses={200: {"model": ModelSpectrumReply}},
)
async def of_installed(
    request: Request,
    name: Name,
    revision: Revision = None,
    layer: Layer = 0,
    head: OneHead = None,
    tensors: Tensors = True,
) -> Response:
    """The same for an installed model; whole tensors or all heads of a wide one may be refused."""
    registry = await registry_now(request)
    model = registry.find(name, revision)
    made, at = model.config.architecture, revision or model.newest
    shape = made.shape
    check_ranges({"layer": made.num_layers, "head": shape.num_heads}, layer=layer, head=head)
    heads = _heads(head, shape)
    sizes = stand_in(shape, shape.d_model, output_projection=True)
    matrices = all_matrices(sizes, shape, heads, tensors=tensors)
    check_cost(matrices)

    def measure() -> bytes:
        asked = model.digest(at)
        p = registry.weights(name, at).layers[layer]
        body = to_json({"layer": layer, **_spectra(p, shape, heads, tensors)})
        if model.digest(at) != asked:
            raise ModelChanged("model_changed", at="name", name=name)
        return body

    size = 4 * 8 * sum(matrix.numbers for matrix in matrices)  # float64, decomposition
    content = await admission_of(request).run(request, measure, size=size)
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
    """The same for a trace, applied to its text: scores as the bilinear form x `w_qk` xᵀ, their
    symmetry, q, k and v by one fused product, and with `head` the tokens along two singular
    directions."""
    planned = await recall(request, id)
    check_place(planned, layer=layer, head=head, batch=batch)
    model = planned.model
    shape, heads = model.shape, _heads(head, model.shape)
    sizes = stand_in(shape, model.output_width, output_projection=model.output_projection)
    check_cost(all_matrices(sizes, shape, heads, tensors=tensors))

    def measure(trace: Trace) -> bytes:
        spectra = _spectra(trace.parameters[layer], shape, heads, tensors)
        for one in spectra["heads"]:
            one |= _on_text(trace, layer, one["head"], batch, drawn=head is not None)
        x, context = projections.rows_of(trace, layer, batch)
        fused = projections.fused(x, context, trace.parameters[layer])
        where = {"trace": id, "layer": layer, "batch": batch}
        spread = None if head is None else principal(x)
        more = {"fused": asdict(fused), "principal": None if spread is None else asdict(spread)}
        return to_json({**where, **spectra, **more})

    extra = 4 * 8 * planned.parameter_numbers(layer)  # float64, decomposition
    if head is not None:
        extra += 6 * 8 * max(planned.n, planned.m) * shape.d_model
    return await answer(request, planned, measure, extra=extra, slow=True)


def _spectra(p: Parameters, shape: Shape, heads: Sequence[int], tensors: bool) -> dict[str, Any]:
    each = {h: head_matrices(p, shape, h) for h in heads}
    by_head = [
        {"head": h, "kv_head": shape.kv_head_of(h), "matrices": _matrix_fields(each[h])}
        for h in heads
    ]
    return {"tensors": _matrix_fields(whole_matrices(p)) if tensors else None, "heads": by_head}


def _heads(head: int | None, shape: Shape) -> Sequence[int]:
    return range(shape.num_heads) if head is None else [head]


def _matrix_fields(matrices: dict[str, Factored]) -> dict[str, dict[str, Any]]:
    return {name: asdict(spectrum(matrix)) for name, matrix in matrices.items()}


def _on_text(trace: Trace, layer: int, head: int, batch: int, *, drawn: bool) -> dict[str, Any]:
    p, shape = trace.parameters[layer], trace.plan.model.shape
    matrices = head_matrices(p, shape, head)
    x, context = projections.rows_of(trace, layer, batch)
    keys = x if context is None else context
    scores = trace.layers[layer]["scores"][batch, head, : len(x), : len(keys)]
    kv_head = shape.kv_head_of(head)
    biases = head_bias(p.b_q, head, shape.d_k), head_bias(p.b_k, kv_head, shape.d_k)
    turned = trace.plan.model.positions == "rotary"
    options = trace.plan.options
    form = projections.bilinear(x, keys, matrices, biases, scores, options, turned=turned)
    geometry = None
    if drawn:
        heads = trace.layers[layer]["head_outputs"][batch, head, : len(x)]
        read = {"w_q": x, "w_k": keys, "w_v": keys, "w_o": heads, "w_qk": x, "w_vo": keys}
        geometry = {n: _geometry(n, m, read[n], keys) for n, m in matrices.items()}
    asymmetry = projections.asymmetry(scores) if context is None else None
    return {"bilinear": asdict(form), "asymmetry": asymmetry, "geometry": geometry}


def _geometry(name: str, matrix: Factored, rows: np.ndarray, keys: np.ndarray) -> dict[str, Any]:
    """Input rows, and the null space."""
    fields = asdict(projections.directions(name, matrix, rows, keys))
    lost = unseen(matrix, rows) if name in ("w_q", "w_k", "w_v") else None
    return {**fields, "unseen": None if lost is None else asdict(lost)}
