"""Uploads: POST, GET and DELETE /models. There is no list of other people's models."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, Field

from app.storage.manifest import Sent
from app.web.api_v1.plans import engine_of, opening
from app.web.api_v1.upload_form import FORM, fields_of, head_count, received
from app.web.http.clients import client_of
from app.web.http.languages import language_of
from app.web.http.negotiation import JSON
from app.web.http.problems import UnsupportedMedia
from app.web.http.requests import desk_of
from app.web.wire.numbers import to_json
from app.weights.estimate import estimate
from app.weights.upload import Upload, accept

router = APIRouter(tags=["models"])

ModelId = Annotated[str, Path(description="The `id` that POST /models returned.")]


class TensorReply(BaseModel):
    """One tensor of an upload."""

    name: str = Field(description="Name in the file.")
    shape: list[int] = Field(description="Sizes.")
    dtype: str = Field(description="As stored in the file.")


class NoteReply(BaseModel):
    """What the files do not say, and how it was taken."""

    code: str = Field(description="one_head or not_transposed; never changes.")
    at: str = Field(description="The field that says it: num_heads or mapping.")
    message: str = Field(description="In the reader's language.")


class ModelReply(BaseModel):
    """What was recognised in an upload."""

    id: str = Field(description="Unguessable: whoever has it can use and delete the model.")
    name: str = Field(description="As given with the upload.")
    layout: str = Field(description="Which naming was recognised.")
    shape: dict[str, int] = Field(description="num_layers, num_heads, num_kv_heads, d_model, …")
    dtype: str = Field(description="Widest type among the tensors.")
    tensors: list[TensorReply] = Field(description="Every tensor of the upload.")
    has_embedding: bool = Field(description="Whether tokens have vectors of their own.")
    has_tokenizer: bool = Field(description="Whether a tokenizer came along.")
    bytes: int = Field(description="Size of the arrays in memory.")
    notes: list[NoteReply] = Field(description="What was taken without being told; often none.")


@router.post(
    "/models",
    status_code=201,
    summary="Upload weights",
    openapi_extra=FORM,
    responses={201: {"model": ModelReply}},
)
async def upload(request: Request) -> Response:
    """Tensors w_q, w_k, w_v and, where there are, w_o, b_q, b_k, b_v, b_o, embedding and vocab;
    `layers.<i>.w_q` … for several layers. Files are parsed, never executed."""
    media = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if media != "multipart/form-data":
        raise UnsupportedMedia("not_multipart", given=media or "—")
    async with received(request) as form:
        sent, fields = fields_of(form)
        # One after the other: an upload in memory grows while it is read.
        async with desk_of(request).place(request, lane="uploads") as place:
            size = sum(file.size or 0 for file in sent)
            await place.hold(size)
            files = [(file.filename or "weights", await file.read()) for file in sent]
            limits, mapping = engine_of(request).upload_limits, fields.get("mapping")
            cost = await place.work(lambda: estimate(files, mapping=mapping, limits=limits))
            await place.hold(size + cost)
            model_id, model = await place.work(lambda: _store(request, files, fields, cost))
    headers = {"Location": f"/api/v1/models/{model_id}", "Cache-Control": "no-store"}
    return Response(to_json(_told(request, model_id, model)), 201, headers, JSON)


@router.get("/models/{id}", summary="What was recognised", responses={200: {"model": ModelReply}})
async def read(request: Request, id: ModelId) -> Response:
    """The reply of the upload again."""
    engine = engine_of(request)
    model = await opening(request, id, lambda: engine.find_upload(id, "id"))
    return Response(to_json(_told(request, id, model)), 200, {"Cache-Control": "no-store"}, JSON)


@router.delete("/models/{id}", status_code=204, summary="Delete an upload")
async def delete(request: Request, id: ModelId) -> Response:
    """Questions that use it answer 404 from now on."""
    await asyncio.to_thread(engine_of(request).forget_upload, id)
    return Response(status_code=204)


def _store(
    request: Request, files: list[tuple[str, bytes]], fields: dict[str, str], cost: int
) -> tuple[str, Upload]:
    """Recognised and kept; `cost` is what reading it takes, and will take again."""
    engine = engine_of(request)
    num_heads = head_count(fields["num_heads"]) if fields.get("num_heads") else None
    mapping = fields.get("mapping")
    model = accept(
        files,
        num_heads=num_heads,
        mapping=mapping,
        name=fields.get("name"),
        limits=engine.upload_limits,
    )
    said = None if num_heads == "file" else num_heads
    sent = Sent(files, model.name, said, mapping, cost)
    return engine.keep_upload(sent, model, client_of(request)), model


def _told(request: Request, model_id: str, model: Upload) -> dict[str, Any]:
    shape = model.shape
    catalogue, language = request.app.state.catalogue, language_of(request)
    return {
        "id": model_id,
        "name": model.name,
        "layout": model.layout,
        "shape": {
            "num_layers": len(model.layers),
            "num_heads": shape.num_heads,
            "num_kv_heads": shape.num_kv_heads,
            "d_model": shape.d_model,
            "d_k": shape.d_k,
            "d_v": shape.d_v,
        },
        "dtype": model.dtype,
        "tensors": [
            {"name": name, "shape": list(sizes), "dtype": dtype}
            for name, sizes, dtype in model.tensors
        ],
        "has_embedding": model.embedding is not None,
        "has_tokenizer": False,
        "bytes": model.bytes,
        "notes": [
            {"code": code, "at": at, "message": catalogue.say(language, f"note.{code}", values)}
            for code, at, values in model.notes
        ],
    }
