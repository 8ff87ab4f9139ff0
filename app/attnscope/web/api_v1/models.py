from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response

from attnscope.analysis.schema import described, doc, optional_field
from attnscope.installed.uploaded_model import (
    UploadedCheckpoint,
    check_accepted,
    is_checkpoint,
    open_uploaded_checkpoint,
    whole_cost,
)
from attnscope.storage.manifest import ReceivedUpload
from attnscope.web.api_v1.answers import uncached
from attnscope.web.api_v1.upload_form import FORM, Received, accepted_keys, head_count, receive_form
from attnscope.web.http.accept_headers import sayer
from attnscope.web.http.addresses import client_of
from attnscope.web.http.admission import upload_queue
from attnscope.web.http.requests import StrictRoute, admission_of, engine_of
from attnscope.web.serializers.opening import open_upload
from attnscope.web.serializers.ranges import TensorSpan, counted, tensor_page
from attnscope.web.serializers.traces import messages_of
from attnscope.weights.estimate import estimate
from attnscope.weights.formats import Limits
from attnscope.weights.upload import Upload, read_upload

router = APIRouter(tags=["models"], route_class=StrictRoute)

ModelId = Annotated[str, Path(description="The `id` that POST /models returned.")]


@described
class TensorReply:
    """One tensor of an upload."""

    name: str = doc("Name in the file.")
    shape: tuple[int, ...] = doc("Sizes.")
    dtype: str = doc("As stored in the file.")


@described
class NoteReply:
    """A value that the files omit, and the assumption made."""

    code: str = doc("one_head, not_transposed, or a code of a trace's notes.")
    at: str = doc("Field that can set the value: num_heads, mapping or weights.")
    message: str = doc("In the reader's language.")


@described
class ModelReply:
    """Contents of an upload."""

    id: str = doc("Unguessable: anyone who has it can use and delete the model.")
    name: str = doc("As given with the upload.")
    layout: str = doc("Recognised naming.")
    shape: dict[str, int] = doc("num_layers, num_heads, num_kv_heads, d_model, …")
    dtype: str = doc("Widest type among the tensors.")
    tensors: list[TensorReply] = doc("1,000 of its tensors at most.")
    num_tensors: int | None = optional_field(
        "How many there are: `?tensors=1000:2000` has more. Left out if all are listed."
    )
    has_embedding: bool = doc("Whether the upload has an embedding.")
    has_tokenizer: bool = doc("Whether it has a tokenizer.")
    bytes: int = doc("Size of the arrays in memory.")
    notes: list[NoteReply] = doc("What was assumed; often none.")


@router.post(
    "/models",
    status_code=201,
    summary="Upload weights",
    openapi_extra=FORM,
    response_model=ModelReply,
)
async def upload(request: Request) -> Response:
    """Tensors w_q, w_k, w_v and optionally w_o, b_q, b_k, b_v, b_o, embedding and vocab, or
    `layers.<i>.w_q` …; attention layers named as in GPT-2, BERT or Llama; or a whole model:
    weights, config.json and tokenizer.json, or one .gguf file. Files are parsed, never executed."""
    async with (
        receive_form(request) as came,
        admission_of(request).place(
            request, size=came.size, queue=upload_queue(came.size)
        ) as place,
    ):
        limits = engine_of(request).upload_limits
        sent, cost = await place.work(lambda: _read(came, limits))
        await place.hold(came.size + cost)
        model_id, model = await place.work(lambda: _store(request, sent, came.texts, cost))
        await place.hold(came.size + min(cost, model.held))
    made = _model_fields(request, model_id, model)
    return uncached(made, 201, Location=f"/api/v1/models/{model_id}")


@router.get("/models/{id}", summary="What was recognised", response_model=ModelReply)
async def read(request: Request, id: ModelId, tensors: TensorSpan = ":") -> Response:
    """The reply of the upload, with a page of its tensors."""
    model = await open_upload(request, id, lambda: engine_of(request).find_upload(id, "id"))
    return uncached(_model_fields(request, id, model, tensors))


@router.delete("/models/{id}", status_code=204, summary="Delete an upload")
async def delete(request: Request, id: ModelId) -> Response:
    """Questions about the model then return 404."""
    await asyncio.to_thread(engine_of(request).forget_upload, id)
    return Response(status_code=204)


def _read(came: Received, limits: Limits) -> tuple[ReceivedUpload, int]:
    texts, others = came.texts, {name: file.file.read() for name, file in came.others.items()}
    sent = ReceivedUpload(
        [(file.filename or "weights", file.file.read()) for file in came.files],
        texts.get("name") or "",
        mapping=texts.get("mapping"),
        config=others.get("config"),
        tokenizer=others.get("tokenizer"),
        accept=accepted_keys(texts.get("accept")),
    )
    if is_checkpoint(sent):
        return sent, whole_cost(sent)
    return sent, estimate(sent.files, mapping=sent.mapping, limits=limits)


def _store(
    request: Request, sent: ReceivedUpload, fields: dict[str, str], cost: int
) -> tuple[str, Upload]:
    engine = engine_of(request)
    num_heads = head_count(fields["num_heads"]) if fields.get("num_heads") else None
    model: Upload
    if is_checkpoint(sent):
        model = open_uploaded_checkpoint(sent, engine.upload_limits)
    else:
        model = read_upload(
            sent.files,
            num_heads=num_heads,
            mapping=sent.mapping,
            name=fields.get("name"),
            limits=engine.upload_limits,
        )
    check_accepted(sent, model)
    said = None if num_heads == "file" else num_heads
    if isinstance(model, UploadedCheckpoint):
        cost = whole_cost(sent, model)
    sent = replace(sent, name=model.name, num_heads=said, memory=cost)
    return engine.keep_upload(sent, model, client_of(request)), model


def _model_fields(
    request: Request, model_id: str, model: Upload, tensors: str = ":"
) -> dict[str, Any]:
    total = len(model.tensors)
    listed = tensor_page(tensors, total)
    say = sayer(request)
    notes: list[object] = [
        NoteReply(code, at, say(f"note.{code}", values)) for code, at, values in model.notes
    ]
    notes += [
        {**note, "at": "weights"} for note in messages_of(request, model.caveats, model.accepted)
    ]
    return {
        "id": model_id,
        "name": model.name,
        "layout": model.layout,
        "shape": {"num_layers": len(model.layers), **vars(model.shape)},
        "dtype": model.dtype,
        "tensors": [TensorReply(*one) for one in model.tensors[listed]],
        **counted(listed, total),
        "has_embedding": model.embedding is not None,
        "has_tokenizer": isinstance(model, UploadedCheckpoint),
        "bytes": model.bytes,
        "notes": notes,
    }
