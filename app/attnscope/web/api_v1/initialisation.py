from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from attnscope.analysis.initialisation import (
    check_cost,
    counts,
    drawn_variances,
    own_variances,
    signals,
)
from attnscope.analysis.projections import rows_of
from attnscope.trace.question import Question, Seeded
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, Layer, TraceId, check_place, recall
from attnscope.web.api_v1.answers import answer
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.numbers import to_json
from attnscope.weights.schemes import INITS, Init

router = APIRouter(tags=["traces"], route_class=JsonRoute)

OneScheme = Annotated[Init | None, Query(description="This scheme alone; left out: every scheme.")]


class VarianceReply(BaseModel):
    """Variance of one tensor about 0."""

    name: str = Field(description="w_q, w_k, w_v, w_o or a bias.")
    shape: list[int] = Field(description="Sizes.")
    predicted: float | None = Field(description="By the scheme; null where no scheme drew it.")
    measured: float | None = Field(description="Mean square of its numbers.")
    standard_error: float | None = Field(
        description="How far off so many drawn numbers are, one σ; null where exact."
    )


class SchemeReply(BaseModel):
    """One scheme, drawn in the shapes of this trace."""

    init: str = Field(description="Name of the scheme.")
    own: bool = Field(description="Whether it drew the trace's own parameters.")
    tensors: list[VarianceReply] = Field(description="w_q, w_k, w_v, w_o.")


class SignalReply(BaseModel):
    """Mean square of a stage of one text."""

    stage: str = Field(description="x (what the projections read), q, k or v.")
    predicted: float | None = Field(description="d_model · E x² · E w² + E b²; null of x.")
    measured: float | None = Field(description="Mean of the squares.")


class CountsReply(BaseModel):
    """Numbers in the parameters of one layer."""

    name: str = Field(
        description="one_head, multi_head, grouped (as asked), multi_query, share_qk, share_qkv."
    )
    num_heads: int = Field(description="Heads.")
    num_kv_heads: int = Field(description="Key/value heads.")
    d_k: int = Field(description="Width of q and k, per head.")
    projections: int = Field(description="Of W_Q, W_K, W_V: 3 d_model² where h · d_k = d_model.")
    biases: int = Field(description="b_q, b_k, b_v, where there are biases.")
    output: int = Field(description="w_o.")
    output_bias: int = Field(description="b_o, where there is one.")
    total: int = Field(description="All four together.")


class InitialisationReply(BaseModel):
    """Predicted and drawn variances, and parameter counts."""

    trace: str = Field(description="Content hash of the question.")
    layer: int = Field(description="Layer, from 0.")
    batch: int = Field(description="Text of the batch, from 0.")
    init: str | None = Field(description="What drew the parameters; null where nothing did.")
    tensors: list[VarianceReply] = Field(description="The trace's own parameters.")
    signal: list[SignalReply] = Field(description="What they make of the size of x.")
    schemes: list[SchemeReply] = Field(description="Every scheme, or the one asked for.")
    counts: list[CountsReply] = Field(description="Parameter counts, each usual way.")


@router.get(
    "/traces/{id}/initialisation",
    summary="Variances of the parameters, and how many there are",
    responses={200: {"model": InitialisationReply}},
)
async def initialisation(
    request: Request, id: TraceId, layer: Layer = 0, batch: Batch = 0, init: OneScheme = None
) -> Response:
    """Predicted and drawn variance of each tensor; the same for every other scheme in these shapes,
    from the same seed (0 if there is none); the size of q, k and v; parameter counts for the
    usual numbers of heads."""
    planned = await recall(request, id)
    model = planned.model
    check_place(planned, layer=layer, batch=batch)
    inits = INITS if init is None else (init,)
    check_cost(model.shape, model.output_width, inits)

    def measure(trace: Trace) -> bytes:
        drawn_by, seed = _origin(planned.question)
        own = own_variances(trace.parameters[layer], drawn_by)
        schemes: list[dict[str, Any]] = []
        for one in inits:
            drawn = drawn_variances(model.shape, model.output_width, seed, layer, one)
            tensors = [asdict(tensor) for tensor in drawn]
            schemes.append({"init": one, "own": one == drawn_by, "tensors": tensors})
        fields = {"trace": id, "layer": layer, "batch": batch, "init": drawn_by}
        fields |= {"tensors": [asdict(tensor) for tensor in own], "schemes": schemes}
        fields["signal"] = [asdict(signal) for signal in signals(*_read(trace, layer, batch), own)]
        fields["counts"] = [asdict(one) for one in counts(model.shape, model.biases)]
        return to_json(fields)

    extra = 3 * 8 * planned.parameter_numbers(layer)
    return await answer(request, planned, measure, extra=extra, slow=True)


def _origin(question: Question) -> tuple[Init | None, int]:
    """(None, 0) if not drawn."""
    model = question.model
    return (model.init, model.seed) if isinstance(model, Seeded) else (None, 0)


def _read(trace: Trace, layer: int, batch: int) -> tuple[Any, Any, dict[str, Any]]:
    """Inputs of w_q, and of w_k and w_v; q, k, v; without padding."""
    x, context = rows_of(trace, layer, batch)
    keys = x if context is None else context
    stages = trace.layers[layer]
    lengths = {"q": len(x), "k": len(keys), "v": len(keys)}
    return x, keys, {name: stages[name][batch, :, :rows] for name, rows in lengths.items()}
