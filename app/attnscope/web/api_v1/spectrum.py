from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis import projections
from attnscope.analysis.projections import BilinearForm, Directions, FusedProduct
from attnscope.analysis.schema import Real, described, doc
from attnscope.analysis.spectrum import (
    Factored,
    Spectrum,
    all_matrices,
    check_cost,
    head_bias,
    head_matrices,
    placeholder_parameters,
    spectrum,
    whole_matrices,
)
from attnscope.analysis.unseen import NullSpace, PrincipalComponents, null_space, principal
from attnscope.attention.architecture import Parameters, Shape
from attnscope.errors import ModelChanged
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import (
    Batch,
    Layer,
    OneHead,
    TraceId,
    check_ranges,
    recall,
)
from attnscope.web.api_v1.answers import reply_from_trace, uncached
from attnscope.web.api_v1.installed import Name
from attnscope.web.api_v1.models import ModelId
from attnscope.web.api_v1.schemas import OfLayer
from attnscope.web.http.requests import JsonRoute, admission_of, engine_of
from attnscope.web.serializers.opening import current_registry, open_upload
from attnscope.web.serializers.selection import to_json

router = APIRouter(route_class=JsonRoute)

Revision = Annotated[str | None, Query(description="One of `revisions`; left out: the last.")]
Tensors = Annotated[bool, Query(description="false: heads only, without the costly whole tensors.")]


@described
class DirectionsReply(Directions):
    """First two singular directions, and the tokens' coordinates."""

    unseen: NullSpace | None = doc(
        "For w_q, w_k, w_v; null for others, too many tokens, or non-finite x."
    )


@described
class HeadSpectraReply:
    """The matrices of one head."""

    head: int = doc("Head, from 0.")
    kv_head: int = doc("The key/value head that serves it.")
    matrices: dict[str, Spectrum] = doc(
        "w_q, w_k, w_v, w_o, w_qk = W_Q W_Kᵀ and w_vo = W_V W_O of this head."
    )


@described
class TraceHeadReply(HeadSpectraReply):
    """The matrices of one head, and facts on the text."""

    bilinear: BilinearForm = doc("The scores as one bilinear form.")
    asymmetry: Real | None = doc("Largest |scores − scoresᵀ|; null in cross-attention.")
    geometry: dict[str, DirectionsReply] | None = doc(
        "Tokens along singular directions; null without `head`."
    )


WHOLE_TENSORS = "w_q, w_k, w_v, w_o, all heads side by side; null with tensors=false."
EACH_HEAD = "Every head, or the one asked for."


@described
class ModelSpectrumReply:
    """Spectra of one layer."""

    layer: int = doc("Layer, from 0.")
    tensors: dict[str, Spectrum] | None = doc(WHOLE_TENSORS)
    heads: list[HeadSpectraReply] = doc(EACH_HEAD)


@described
class TraceSpectrumReply(OfLayer):
    """Spectra of one layer, and facts on a text."""

    tensors: dict[str, Spectrum] | None = doc(WHOLE_TENSORS)
    heads: list[TraceHeadReply] = doc(EACH_HEAD)
    fused: FusedProduct = doc("One fused product.")
    principal: PrincipalComponents | None = doc(
        "Principal components; null without `head`, for too many tokens or non-finite x."
    )


@router.get(
    "/models/{id}/spectrum",
    tags=["models"],
    summary="Singular values of an upload",
    response_model=ModelSpectrumReply,
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
        return to_json(_of_layer(p, shape, layer, heads, tensors))

    return uncached(
        await admission_of(request).run(request, measure, size=model.held, queue="small")
    )


@router.get(
    "/models/installed/{name:path}/spectrum",
    tags=["models"],
    summary="Singular values of a model on the server",
    response_model=ModelSpectrumReply,
)
async def of_installed(
    request: Request,
    name: Name,
    revision: Revision = None,
    layer: Layer = 0,
    head: OneHead = None,
    tensors: Tensors = True,
) -> Response:
    """Spectra of a layer of an installed model, as for an upload. For wide models, whole tensors or
    all heads may be refused."""
    registry = await current_registry(request)
    model = registry.find(name, revision)
    made, at = model.config.architecture, revision or model.newest
    shape = made.shape
    check_ranges({"layer": made.num_layers, "head": shape.num_heads}, layer=layer, head=head)
    heads = _heads(head, shape)
    sizes = placeholder_parameters(shape, shape.d_model, output_projection=True)
    matrices = all_matrices(sizes, shape, heads, tensors=tensors)
    check_cost(matrices)

    def measure() -> bytes:
        asked = model.digest(at)
        p = registry.weights(name, at).layers[layer]
        body = to_json(_of_layer(p, shape, layer, heads, tensors))
        if model.digest(at) != asked:
            raise ModelChanged("model_changed", at="name", name=name)
        return body

    size = 4 * 8 * sum(matrix.numbers for matrix in matrices)  # 4 float64 copies, for the SVD
    return uncached(await admission_of(request).run(request, measure, size=size))


@router.get(
    "/traces/{id}/spectrum",
    tags=["traces"],
    summary="Singular values of a trace's parameters",
    response_model=TraceSpectrumReply,
)
async def of_trace(
    request: Request,
    id: TraceId,
    layer: Layer = 0,
    head: OneHead = None,
    batch: Batch = 0,
    tensors: Tensors = True,
) -> Response:
    """Spectra of a layer of a trace. Also: scores as x `w_qk` xᵀ, their symmetry, the fused QKV
    product, and with `head` tokens along two singular directions."""
    planned = await recall(request, id, layer=layer, head=head, batch=batch)
    model = planned.model
    shape, heads = model.shape, _heads(head, model.shape)
    sizes = placeholder_parameters(
        shape, model.output_width, output_projection=model.output_projection
    )
    check_cost(all_matrices(sizes, shape, heads, tensors=tensors))

    def measure(trace: Trace) -> TraceSpectrumReply:
        p = trace.parameters[layer]
        each = [
            TraceHeadReply(
                **vars(_spectra(p, shape, h)),
                **_text_fields(trace, layer, h, batch, drawn=head is not None),
            )
            for h in heads
        ]
        x, context = projections.rows_of(trace, layer, batch)
        fused = projections.fused(x, context, p)
        spread = None if head is None else principal(x)
        return TraceSpectrumReply(id, layer, batch, _whole(p, tensors), each, fused, spread)

    extra = 4 * 8 * planned.parameter_numbers(layer)  # 4 float64 copies, for the SVD
    if head is not None:
        extra += 6 * 8 * max(planned.n, planned.m) * shape.d_model
    return await reply_from_trace(request, planned, measure, extra=extra, slow=True)


def _of_layer(
    p: Parameters, shape: Shape, layer: int, heads: Sequence[int], tensors: bool
) -> ModelSpectrumReply:
    whole = _whole(p, tensors)
    return ModelSpectrumReply(layer, whole, [_spectra(p, shape, head) for head in heads])


def _spectra(p: Parameters, shape: Shape, head: int) -> HeadSpectraReply:
    return HeadSpectraReply(
        head, shape.kv_head_of(head), _spectra_of(head_matrices(p, shape, head))
    )


def _whole(p: Parameters, tensors: bool) -> dict[str, Spectrum] | None:
    return _spectra_of(whole_matrices(p)) if tensors else None


def _spectra_of(matrices: dict[str, Factored]) -> dict[str, Spectrum]:
    return {name: spectrum(matrix) for name, matrix in matrices.items()}


def _heads(head: int | None, shape: Shape) -> Sequence[int]:
    return range(shape.num_heads) if head is None else [head]


def _text_fields(trace: Trace, layer: int, head: int, batch: int, *, drawn: bool) -> dict[str, Any]:
    p, shape = trace.parameters[layer], trace.plan.model.shape
    matrices = head_matrices(p, shape, head)
    x, context = projections.rows_of(trace, layer, batch)
    keys = x if context is None else context
    real = slice(len(x))
    scores = trace.block("scores", layer, head, real, slice(len(keys)), batch)
    kv_head = shape.kv_head_of(head)
    biases = head_bias(p.b_q, head, shape.d_k), head_bias(p.b_k, kv_head, shape.d_k)
    setting = trace.plan.setting.at(layer)
    turned = setting.architecture.positions == "rotary"
    form = projections.bilinear(x, keys, matrices, biases, scores, setting.options, turned=turned)
    geometry = None
    if drawn:
        heads = trace.block("head_outputs", layer, head, real, batch=batch)
        read = {"w_q": x, "w_k": keys, "w_v": keys, "w_o": heads, "w_qk": x, "w_vo": keys}
        geometry = {n: _geometry(n, m, read[n], keys) for n, m in matrices.items()}
    asymmetry = projections.asymmetry(scores) if context is None else None
    return {"bilinear": form, "asymmetry": asymmetry, "geometry": geometry}


def _geometry(name: str, matrix: Factored, rows: np.ndarray, keys: np.ndarray) -> DirectionsReply:
    """`rows`: input of the matrix."""
    found = projections.directions(name, matrix, rows, keys)
    lost = null_space(matrix, rows) if name in ("w_q", "w_k", "w_v") else None
    return DirectionsReply(**vars(found), unseen=lost)
