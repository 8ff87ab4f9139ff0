"""Uploads: POST, GET and DELETE /models. There is no list of other people's models."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from starlette.datastructures import FormData, UploadFile

from app.errors import BadWeightsFile, InvalidRequest
from app.trace.engine import Engine
from app.web.problems import UnsupportedMedia
from app.web.requests import engine_of
from app.web.schemas import ModelReply
from app.web.wire import JSON, to_json
from app.weights.upload import Upload, accept, to_bytes

router = APIRouter(tags=["models"])

ModelId = Annotated[str, Path(description="The `id` that POST /models returned.")]
HEADS = re.compile(r"\s*\d{1,3}\s*", re.ASCII)

FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["weights"],
                    "properties": {
                        "weights": {
                            "type": "array",
                            "items": {"type": "string", "format": "binary"},
                            "description": "One or more .safetensors, .npz or .json files.",
                        },
                        "num_heads": {
                            "type": "integer",
                            "minimum": 1,
                            "description": "Heads side by side in w_q; 1 if neither this nor the "
                            "file says it.",
                        },
                        "mapping": {
                            "type": "string",
                            "description": "JSON: our name → tensor name, or "
                            '{"tensor", "transpose", "slice"}.',
                        },
                        "name": {"type": "string", "description": "What to call it."},
                    },
                }
            }
        },
    }
}
FIELDS = ("weights", "num_heads", "mapping", "name")


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
    async with request.form(max_files=64, max_fields=16) as form:
        files, fields = await _read(form)
    engine = engine_of(request)
    slots = request.app.state.slots
    model_id, model = await slots.run(lambda: _store(request, engine, files, fields))
    headers = {"Location": f"/api/v1/models/{model_id}", "Cache-Control": "no-store"}
    return Response(to_json(_told(model_id, model)), 201, headers, JSON)


@router.get("/models/{id}", summary="What was recognised", responses={200: {"model": ModelReply}})
async def read(request: Request, id: ModelId) -> Response:
    """The reply of the upload again."""
    model = await asyncio.to_thread(engine_of(request).find_upload, id, "id")
    return Response(to_json(_told(id, model)), 200, {"Cache-Control": "no-store"}, JSON)


@router.delete("/models/{id}", status_code=204, summary="Delete an upload")
async def delete(request: Request, id: ModelId) -> Response:
    """Questions that use it answer 404 from now on."""
    await asyncio.to_thread(engine_of(request).forget_upload, id)
    return Response(status_code=204)


async def _read(form: FormData) -> tuple[list[tuple[str, bytes]], dict[str, str]]:
    """The files, and the other fields as text."""
    files: list[tuple[str, bytes]] = []
    fields: dict[str, str] = {}
    for name, value in form.multi_items():
        if name not in FIELDS:
            raise InvalidRequest(
                "unknown_form_field", at=name[:40], given=name[:40], fields=", ".join(FIELDS)
            )
        if name == "weights" and isinstance(value, UploadFile):
            files.append((value.filename or "weights", await value.read()))
        elif isinstance(value, str) and name != "weights":
            fields[name] = value
        else:
            raise InvalidRequest("wrong_form_field", at=name, given=name)
    if not files:
        raise BadWeightsFile("no_file", at="weights")
    return files, fields


def _store(
    request: Request, engine: Engine, files: list[tuple[str, bytes]], fields: dict[str, str]
) -> tuple[str, Upload]:
    model = accept(
        files,
        num_heads=_whole(fields["num_heads"]) if fields.get("num_heads") else None,
        mapping=fields.get("mapping"),
        name=fields.get("name"),
        limits=request.app.state.upload_limits,
    )
    data = to_bytes(model)
    model_id = engine.models.name_for(data)
    engine.models.put(model_id, data)
    return model_id, model


def _whole(text: str) -> int:
    if HEADS.fullmatch(text) is None or not 1 <= int(text) <= 256:
        raise InvalidRequest("not_a_head_count", at="num_heads", given=text[:40])
    return int(text)


def _told(model_id: str, model: Upload) -> dict[str, Any]:
    shape = model.shape
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
    }
