"""GET /traces/{id}/rollout: attention across layers."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query, Request, Response
from safetensors.numpy import save

from app.analysis.rollout import RESIDUAL, rollout
from app.errors import InvalidRequest, TooLarge
from app.trace.reader import out_of_range
from app.trace.run import Plan, Trace
from app.web.api_v1.traces import Batch, TraceId, recall
from app.web.requests import JsonRoute, run
from app.web.schemas_layers import RolloutReply
from app.web.wire import JSON, SAFETENSORS, Media, reply, to_json

router = APIRouter(tags=["traces"], route_class=JsonRoute)

UpTo = Annotated[
    int | None, Query(ge=0, description="The map up to this layer alone; left out: every one.")
]


@router.get(
    "/traces/{id}/rollout",
    summary="Attention across layers",
    responses={200: {"model": RolloutReply, "content": {SAFETENSORS: {}}}},
)
async def across(
    request: Request, id: TraceId, media: Media, layer: UpTo = None, batch: Batch = 0
) -> Response:
    """Attention rollout (Abnar & Zuidema 2020): of each row behind a layer, how much came from each
    token, with heads averaged and half of every row passed on by the residual. Raw: one tensor
    `layers.<i>.rollout` each."""
    planned = recall(request, id)
    _check(planned, layer, batch)
    chosen = range(planned.model.num_layers) if layer is None else [layer]
    numbers, limit = len(chosen) * planned.n**2, request.app.state.settings.max_json_numbers
    if media == JSON and numbers > limit:
        raise TooLarge("rollout", estimate=f"{numbers:,}", limit=f"{limit:,}")

    def mix(trace: Trace) -> bytes:
        weights = (stages["weights"][batch] for stages in trace.layers[: chosen[-1] + 1])
        maps = {i: one for i, one in enumerate(rollout(weights)) if i in chosen}
        told = {"trace": id, "batch": batch, "residual": RESIDUAL, "layers": list(maps)}
        if media == JSON:
            return to_json({**told, "maps": list(maps.values())})
        arrays = {f"layers.{i}.rollout": np.ascontiguousarray(one) for i, one in maps.items()}
        return save(arrays, {"attnscope": to_json(told).decode()})

    return reply(await run(request, planned, mix), media, id, keep=True)


def _check(planned: Plan, layer: int | None, batch: int) -> None:
    if planned.context is not None:
        raise InvalidRequest("rollout_with_context", at="id")
    if layer is not None and layer >= planned.model.num_layers:
        raise out_of_range("layer", layer, planned.model.num_layers)
    if batch >= planned.batch:
        raise out_of_range("batch", batch, planned.batch)
