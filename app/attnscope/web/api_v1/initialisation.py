from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from attnscope.analysis.initialisation import (
    ParameterCounts,
    StageMeanSquare,
    TensorVariance,
    check_cost,
    drawn_variances,
    own_variances,
    parameter_counts,
    stage_mean_squares,
)
from attnscope.analysis.projections import rows_of
from attnscope.analysis.schema import described, doc
from attnscope.trace.question import Question, Seeded
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import Batch, Layer, TraceId, recall
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.api_v1.schemas import OfLayer
from attnscope.web.http.requests import JsonRoute
from attnscope.weights.schemes import INITS, Init, Share

router = APIRouter(tags=["traces"], route_class=JsonRoute)

OneScheme = Annotated[Init | None, Query(description="This scheme alone; left out: every scheme.")]


@described
class SchemeReply:
    """One scheme, drawn in the shapes of this trace."""

    init: str = doc("Name of the scheme.")
    own: bool = doc("Whether it drew the trace's own parameters.")
    tensors: list[TensorVariance] = doc("w_q, w_k, w_v and, where there is one, w_o.")


@described
class InitialisationReply(OfLayer):
    """Predicted and drawn variances, and parameter counts."""

    init: str | None = doc("The scheme that drew the parameters; null if none did.")
    tensors: list[TensorVariance] = doc("The trace's own parameters.")
    schemes: list[SchemeReply] = doc("Every scheme, or the one asked for.")
    signal: list[StageMeanSquare] = doc("Mean squares of x, q, k and v.")
    counts: list[ParameterCounts] = doc("Parameter counts of the usual kinds of attention.")


@router.get(
    "/traces/{id}/initialisation",
    summary="Variances of the parameters, and how many there are",
    response_model=InitialisationReply,
)
async def initialisation(
    request: Request, id: TraceId, layer: Layer = 0, batch: Batch = 0, init: OneScheme = None
) -> Response:
    """Predicted and drawn variance of each tensor; the same for every other scheme in these shapes,
    from the same seed (0 if there is none); the size of q, k and v; parameter counts for the
    usual numbers of heads."""
    planned = await recall(request, id, layer=layer, batch=batch)
    model = planned.model
    inits = INITS if init is None else (init,)
    out = model.output_width if model.output_projection else 0
    check_cost(model.shape, out, inits)

    def measure(trace: Trace) -> InitialisationReply:
        drawn_by, seed, share = _origin(planned.question)
        own = own_variances(trace.parameters[layer], drawn_by)
        schemes = [
            SchemeReply(
                one, one == drawn_by, drawn_variances(model.shape, out, seed, layer, one, share)
            )
            for one in inits
        ]
        signal = stage_mean_squares(*_read(trace, layer, batch), own)
        counted = parameter_counts(model.shape, model.biases, out)
        return InitialisationReply(id, layer, batch, drawn_by, own, schemes, signal, counted)

    extra = 3 * 8 * planned.parameter_numbers(layer)
    return await reply_from_trace(request, planned, measure, extra=extra, slow=True)


def _origin(question: Question) -> tuple[Init | None, int, Share]:
    model = question.model
    if not isinstance(model, Seeded):
        return None, 0, "none"
    return model.init, model.seed, model.share


def _read(trace: Trace, layer: int, batch: int) -> tuple[Any, Any, dict[str, Any]]:
    """Inputs of w_q, and of w_k and w_v; then q, k, v, unpadded."""
    x, context = rows_of(trace, layer, batch)
    keys = x if context is None else context
    stages = trace.layers[layer]
    lengths = {"q": len(x), "k": len(keys), "v": len(keys)}
    return x, keys, {name: stages[name][batch, :, :rows] for name, rows in lengths.items()}
