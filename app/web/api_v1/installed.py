"""GET /models: the models that are on the server, whoever asks."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, Field

from app.installed.shelf import ShelfModel
from app.web.api_v1.models import TensorReply
from app.web.api_v1.plans import engine_of
from app.web.http.negotiation import JSON
from app.web.http.replies import reply
from app.web.http.requests import JsonRoute
from app.web.wire.numbers import to_json

router = APIRouter(tags=["models"], route_class=JsonRoute)

Name = Annotated[str, Path(description="As GET /models tells it: echo.")]


class InstalledReply(BaseModel):
    """A model that nobody sent and nobody can delete."""

    name: str = Field(description="For `model.name` of a question.")
    source: str = Field(description="installed, for `model.source` of a question.")
    family: str = Field(description="Which kind of checkpoint.")
    language: str | None = Field(description="en or zh; null: of no language.")
    revisions: list[str] = Field(description="Weights on the way of training; the last is null's.")
    shape: dict[str, int] = Field(description="num_layers, num_heads, num_kv_heads, d_model, …")
    context: int = Field(description="The most tokens it takes.")
    vocabulary: int = Field(description="How many pieces it knows.")
    predicts: str | None = Field(
        description="next: the piece that follows; masked: the piece at a place; null: nothing."
    )
    bytes: int = Field(description="Of its weights on disk.")


class InstalledModels(BaseModel):
    """All of them, by name."""

    models: list[InstalledReply] = Field(description="In alphabetical order.")


class InstalledDetails(InstalledReply):
    """One of them, with its tensors."""

    tensors: list[TensorReply] = Field(description="Every tensor of its weights.")


@router.get(
    "/models", summary="The models on the server", responses={200: {"model": InstalledModels}}
)
async def models(request: Request) -> Response:
    """Those that came with the server; uploads are not listed: only their sender knows them."""
    shelf = engine_of(request).shelf
    told = [_told(model) for model in shelf.models.values()]
    return reply(request, to_json({"models": told}), JSON)


@router.get(
    "/models/installed/{name}",
    summary="One model on the server",
    responses={200: {"model": InstalledDetails}},
)
async def details(request: Request, name: Name) -> Response:
    """The same with its tensors."""
    model = engine_of(request).shelf.find(name)
    tensors = [
        {"name": tensor, "shape": list(sizes), "dtype": dtype}
        for tensor, sizes, dtype in model.tensors()
    ]
    return reply(request, to_json({**_told(model), "tensors": tensors}), JSON)


def _told(model: ShelfModel) -> dict[str, Any]:
    config, made = model.config, model.config.architecture
    return {
        "name": model.name,
        "source": "installed",
        "family": config.family,
        "language": config.language,
        "revisions": list(model.revisions),
        "shape": {"num_layers": made.num_layers, **vars(made.shape)},
        "context": config.context,
        "vocabulary": config.vocabulary,
        "predicts": config.predicts,
        "bytes": model.bytes,
    }
