from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from attnscope.analysis.schema import described, doc
from attnscope.captures.capture import (
    cost_of_layers,
    cost_of_stages,
    layers_in,
    open_capture,
    read_capture,
    spare_tokens,
)
from attnscope.captures.names import NAMES
from attnscope.captures.tokens import name_ids
from attnscope.storage.manifest import ReceivedUpload
from attnscope.trace.capture_plan import CapturedPlan
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.answers import uncached
from attnscope.web.api_v1.schemas import CaptureChecksReply, ShapeReply
from attnscope.web.api_v1.upload_form import CAPTURE, FILE, NAME, form_of, receive_form, text_field
from attnscope.web.http.addresses import client_of
from attnscope.web.http.admission import Slot, upload_queue
from attnscope.web.http.requests import StrictRoute, admission_of, engine_of
from attnscope.web.serializers.traces import describe_checks, describe_plan
from attnscope.weights.estimate import estimate
from attnscope.weights.json_cost import cost_of_json

router = APIRouter(tags=["captures"], route_class=StrictRoute)

CaptureId = Annotated[str, Path(description="The `id` that POST /captures returned.")]
LISTS = "JSON: a list of strings, or of ids with `tokenizer`; for a batch a list of lists."
FORM = form_of(
    "arrays",
    "One or more .npz, .safetensors, .npy or .json files. "
    f"Names: {', '.join(NAMES)}, or layers.<i>.<name>.",
    tokens=text_field(f"Tokens of the queries. {LISTS}"),
    context_tokens=text_field(f"Tokens of the keys, in cross-attention. {LISTS}"),
    tokenizer=FILE | {"description": "tokenizer.json that names the ids in the lists of tokens."},
    name=NAME,
)


@described
class CaptureReply:
    """A new capture."""

    id: str = doc("Unguessable: anyone who has it can use and delete the capture.")
    trace: str = doc("Trace of the capture.")
    name: str = doc("As given with the capture, or the file's.")
    shape: ShapeReply = doc("Sizes; null where no array has the axis.")
    stages: list[str] = doc("Stages that were given or can be computed.")
    checks: CaptureChecksReply = doc("Row sums, non-finite numbers, differences.")


@router.post(
    "/captures",
    status_code=201,
    summary="Upload attention",
    openapi_extra=FORM,
    response_model=CaptureReply,
)
async def capture(request: Request) -> Response:
    """Weights, scores, q, k, v and others: [layer, head, …], [layer, batch, head, …], one layer, or
    the steps of generate(). Files are parsed, never executed; numbers stay unchanged."""
    async with (
        receive_form(request, CAPTURE) as came,
        admission_of(request).place(
            request, size=came.size, queue=upload_queue(came.size)
        ) as place,
    ):
        files = [(file.filename or "arrays", await file.read()) for file in came.files]
        lists = {at: text for at, text in came.texts.items() if at != "name"}
        if "tokenizer" in came.others:
            tokenizer = await came.others["tokenizer"].read()
            await place.hold(came.size + cost_of_json(tokenizer))
            lists = await place.work(partial(name_ids, lists, tokenizer))
        name, tokens = came.texts.get("name") or "", lists.get("tokens")
        context_tokens = lists.get("context_tokens")
        sent = ReceivedUpload(
            files, name, is_capture=True, tokens=tokens, context_tokens=context_tokens
        )
        trace = await _kept(request, place, sent, came.size)
    planned = trace.plan
    assert isinstance(planned, CapturedPlan)
    made = CaptureReply(
        vars(planned.question.model)["id"],
        planned.id,
        planned.capture.name,
        describe_plan(planned)["shape"],
        list(planned.stages),
        describe_checks(trace)["checks"],
    )
    return uncached(made, 201, Location=f"/api/v1/traces/{planned.id}")


@router.delete("/captures/{id}", status_code=204, summary="Delete a capture")
async def delete(request: Request, id: CaptureId) -> Response:
    """The capture's traces then return 404."""
    await asyncio.to_thread(lambda: engine_of(request).forget_upload(id, capture=True))
    return Response(status_code=204)


async def _kept(request: Request, place: Slot, sent: ReceivedUpload, size: int) -> Trace:
    """Store a capture; reserve the memory of each step before it."""
    engine, client = engine_of(request), client_of(request)
    limits, most = engine.upload_limits, engine.limits.max_trace_bytes
    cost = await place.work(lambda: estimate(sent.files, limits=limits))
    await place.hold(size + cost)
    arrays = await place.work(lambda: read_capture(sent, limits))
    cost += cost_of_layers(arrays, most)
    await place.hold(size + cost)
    layers = await place.work(lambda: layers_in(arrays))
    cost += cost_of_stages(layers, most)
    await place.hold(size + cost)

    def keep() -> Trace:
        opened = open_capture(sent, layers, spare=spare_tokens(arrays))
        named = replace(sent, name=opened.name, memory=cost)
        return engine.trace(engine.keep_capture(named, opened, client))

    return await place.work(keep)
