"""GET /traces/{id}/initialisation: variances predicted and drawn, and parameter counts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from app.analysis.initialisation import (
    check_cost,
    counts,
    drawn_variances,
    own_variances,
    signals,
)
from app.analysis.projections import rows_of
from app.trace.question import Question, Seeded
from app.trace.reader import out_of_range
from app.trace.run import Trace
from app.web.api_v1.traces import Batch, Layer, TraceId, recall
from app.web.requests import JsonRoute, in_slot
from app.web.schemas_weights import InitialisationReply
from app.web.wire import JSON, reply, to_json
from app.weights.schemes import INITS, Init

router = APIRouter(tags=["traces"], route_class=JsonRoute)

OneScheme = Annotated[Init | None, Query(description="This scheme alone; left out: every scheme.")]


@router.get(
    "/traces/{id}/initialisation",
    summary="Variances of the parameters, and how many there are",
    responses={200: {"model": InitialisationReply}},
)
async def initialisation(
    request: Request, id: TraceId, layer: Layer = 0, batch: Batch = 0, init: OneScheme = None
) -> Response:
    """Of each tensor the variance that its scheme predicts and the one that was drawn; the same of
    every other scheme in the same shapes, drawn from the same seed (0 where the model has none);
    the size of q, k and v that follows; parameter counts for heads cut in each usual way."""
    planned = recall(request, id)
    model = planned.model
    if layer >= model.num_layers:
        raise out_of_range("layer", layer, model.num_layers)
    if batch >= planned.batch:
        raise out_of_range("batch", batch, planned.batch)
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
        told = {"trace": id, "layer": layer, "batch": batch, "init": drawn_by}
        told |= {"tensors": [asdict(tensor) for tensor in own], "schemes": schemes}
        told["signal"] = [asdict(signal) for signal in signals(*_read(trace, layer, batch), own)]
        told["counts"] = [asdict(count) for count in counts(model.shape)]
        return to_json(told)

    return reply(await in_slot(request, planned, measure), JSON, id, keep=True)


def _origin(question: Question) -> tuple[Init | None, int]:
    """The scheme that drew the parameters, if one did, and the seed."""
    model = question.model
    return (model.init, model.seed) if isinstance(model, Seeded) else (None, 0)


def _read(trace: Trace, layer: int, batch: int) -> tuple[Any, Any, dict[str, Any]]:
    """What w_q reads, what w_k and w_v read, and q, k, v; real tokens only."""
    x, context = rows_of(trace, layer, batch)
    keys = x if context is None else context
    stages = trace.layers[layer]
    lengths = {"q": len(x), "k": len(keys), "v": len(keys)}
    return x, keys, {name: stages[name][batch, :, :rows] for name, rows in lengths.items()}
