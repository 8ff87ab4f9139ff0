from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, Field

from attnscope.web.api_v1.models import TensorReply
from attnscope.web.api_v1.schemas import ShownOtherwise
from attnscope.web.http.negotiation import JSON
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.installed import describe_model, tensors_of, unopened
from attnscope.web.serializers.numbers import to_json
from attnscope.web.serializers.opening import registry_now
from attnscope.web.serializers.tensor_page import TensorSpan

router = APIRouter(tags=["models"], route_class=JsonRoute)

FRESH = {"Cache-Control": "no-store"}  # the disk may change
Name = Annotated[str, Path(description="As in GET /models: echo.")]


class RecognisedReply(BaseModel):
    """How a model was recognised."""

    code: str = Field(
        description="model_type: of its config.json; gguf: of its header; adapter: of its "
        "adapter_config.json; own_names."
    )
    values: dict[str, int | str] = Field(description="What the sentence names: kind, tensors.")
    message: str = Field(description="In the reader's language.")


class InstalledReply(BaseModel):
    """A model on the server."""

    name: str = Field(description="For `model.name` of a question.")
    source: str = Field(description="installed, for `model.source` of a question.")
    origin: Literal["shipped", "disk"] = Field(description="With the server, or on its disk.")
    family: str = Field(description="Which kind of checkpoint.")
    base: str | None = Field(description="Of a LoRA adapter: the model that it changes; else null.")
    recognised: RecognisedReply = Field(description="By what it was recognised.")
    language: str | None = Field(description="en or zh; null: of no language.")
    revisions: list[str] = Field(description="Weights on the way of training; the last is null's.")
    shape: dict[str, int] = Field(description="num_layers, num_heads, num_kv_heads, d_model, …")
    context: int = Field(description="The most tokens it takes.")
    vocabulary: int = Field(description="How many pieces it knows.")
    predicts: str | None = Field(
        description="next: the piece that follows; masked: the piece at a place; null: nothing."
    )
    notes: list[ShownOtherwise] = Field(
        description="Differences from its own forward pass: accepted_keys, or none."
    )
    unread_keys: list[str] = Field(
        description="Keys of its config.json that its family does not use."
    )
    dtypes: list[str] = Field(description="Of its tensors as they are stored.")
    bytes: int = Field(description="Of its weights on disk.")


class ProblemReply(BaseModel):
    """Why a model cannot be opened."""

    code: str = Field(description="As errors have it: bad_weights_file.")
    message: str = Field(description="In the reader's language.")


class UnopenedReply(BaseModel):
    """A model on the server's disk that cannot be opened."""

    name: str = Field(description="As it would be called.")
    source: str = Field(description="installed.")
    problem: ProblemReply = Field(description="What is wrong with it.")


class InstalledModels(BaseModel):
    """Models by name."""

    models: list[InstalledReply | UnopenedReply] = Field(
        description="In alphabetical order, adapters behind their base; then those that cannot be "
        "opened."
    )


class KnownTensorReply(TensorReply):
    """One tensor of an installed model."""

    became: list[str] = Field(
        description="What it is, or its parts are, here: layers.0.w_q …; empty where it is not "
        "read, or computed with before."
    )


class InstalledDetails(InstalledReply):
    """A model with its tensors."""

    tensors: list[KnownTensorReply] = Field(description="1,000 of its tensors at most.")
    num_tensors: int | None = Field(
        None, description="How many there are: `?tensors=1000:2000` has more. Left out if all are "
        "listed.",
    )  # fmt: skip


@router.get(
    "/models", summary="The models on the server", responses={200: {"model": InstalledModels}}
)
async def models(request: Request) -> Response:
    """Shipped models, and checkpoints on the server's disk. Uploads are not listed."""
    present = (await registry_now(request)).present()
    described = [describe_model(request, model) for model in present]
    return Response(to_json({"models": [*described, *unopened(request)]}), 200, FRESH, JSON)


@router.get(
    "/models/installed/{name:path}",
    summary="One model on the server",
    responses={200: {"model": InstalledDetails}},
)
async def details(request: Request, name: Name, tensors: TensorSpan = ":") -> Response:
    """A model with its tensors."""
    model = (await registry_now(request)).find(name)
    body = {**describe_model(request, model), **tensors_of(model, tensors)}
    return Response(to_json(body), 200, FRESH, JSON)
