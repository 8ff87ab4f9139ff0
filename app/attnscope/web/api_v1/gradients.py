from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import ConfigDict, Field

from attnscope.analysis.gradient_formulas import formulas
from attnscope.analysis.gradients import Objective, check_objective, gradients
from attnscope.analysis.schema import described, doc, optional_field
from attnscope.trace.question import Value
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.address_parameters import TraceId, recall
from attnscope.web.api_v1.answers import reply_from_trace
from attnscope.web.api_v1.schemas import OfTrace
from attnscope.web.http.negotiation import JSON, SAFETENSORS, Media
from attnscope.web.http.replies import Content
from attnscope.web.http.requests import JsonRoute, engine_of
from attnscope.web.serializers.request import Heads, Layers, Stages
from attnscope.web.serializers.selection import (
    JSON_BYTES,
    Selection,
    check_numbers,
    safetensors,
    to_json,
)
from attnscope.web.serializers.traces import named_arrays, numbers_of_layers
from attnscope.web.serializers.typeset import typeset

router = APIRouter(tags=["traces"], route_class=JsonRoute)


class GradientsRequest(Value):
    """The objective, and which derivatives to send."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"objective": {"kind": "cell", "row": 0, "col": 0}},
                {"objective": {"kind": "row_norm", "row": 0}, "stages": ["weights"]},
                {"objective": {"kind": "sum"}, "stages": [], "layers": [0]},
            ]
        }
    )

    objective: Annotated[Objective, Field(discriminator="kind")] = Field(
        description="The number that is differentiated."
    )
    stages: Stages | None = Field(
        None, description="Only these stages, or context; null: all stages."
    )
    layers: Layers | None = Field(None, description="Only these layers; null: all.")
    heads: Heads | None = Field(
        None, description="Only these heads; k and v come with the key/value heads that serve them."
    )
    parameters: bool = Field(True, description="Also gradients of w_q, w_k, w_v, w_o, b_q …")


@described
class GradientsReply(OfTrace):
    """The objective and its derivatives."""

    objective: dict[str, Any] = doc("As in the request, without the cotangent.")
    value: float | None = doc("The number that was differentiated; null if not finite.")
    mathml: dict[str, str] = doc(
        "Stage or parameter → the formula of its derivative, for this question."
    )
    context_mathml: dict[str, str] | None = optional_field(
        "The same for the layers of a decoder that attend to the context."
    )
    layers: list[dict[str, Any]] = doc(
        "Stage name → its derivative, with the stage's own axes; `parameters` likewise."
    )
    context: list[list[list[float | None]]] | None = optional_field(
        "Derivative with respect to the context, summed over the layers that read it. Left out in "
        "self-attention."
    )


@router.post(
    "/traces/{id}/gradients",
    summary="Derivatives of one number with respect to everything",
    responses={200: {"model": GradientsReply, "content": {SAFETENSORS: {}}}},
)
async def of_objective(
    request: Request, id: TraceId, body: GradientsRequest, media: Media
) -> Response:
    """Exact derivatives of one number with respect to every stage and parameter, with the axes of
    that array. The number is a cell of the last output, half the square of a row, the sum, or any
    weighting (`custom`). Matrices tied by `share` have one derivative for each use; add them.
    `Accept: application/x-safetensors` gives raw arrays."""
    planned = await recall(request, id)
    selection = Selection(body.stages, body.layers, body.heads, body.parameters)
    selection.check(planned)
    check_objective(planned, body.objective, engine_of(request).limits)
    numbers = selection.numbers(planned)
    extra = planned.dense_bytes + selection.copied_bytes(planned)
    if media == JSON:
        check_numbers("gradients_json", numbers, request.app.state.settings.max_json_numbers)
        extra += JSON_BYTES * numbers

    def write(trace: Trace) -> Content:
        found = gradients(trace, body.objective)
        objective = body.objective.model_dump(exclude={"cotangent"}, exclude_unset=True)
        fields = {"trace": id, "objective": objective, "value": found.value, **_formulas(trace)}
        context = {} if found.context is None else {"context": found.context}
        if media == JSON:
            layers = [*numbers_of_layers(found.trace, selection).values()]
            return to_json({**fields, "layers": layers, **context})
        return safetensors({**named_arrays(found.trace, selection), **context}, fields)

    return await reply_from_trace(request, planned, write, media, extra=extra)


def _formulas(trace: Trace) -> dict[str, Any]:
    kinds = ["mathml", "context_mathml"][: 2 if trace.plan.model.decoder else 1]
    return {
        kind: {name: typeset(latex) for name, latex in formulas(trace, layer).items()}
        for layer, kind in enumerate(kinds)
    }
