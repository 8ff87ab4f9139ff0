from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response

from attnscope.analysis.schema import described, doc, optional_field
from attnscope.web.api_v1.answers import uncached
from attnscope.web.api_v1.models import TensorReply
from attnscope.web.api_v1.schemas import ShownOtherwise
from attnscope.web.http.requests import JsonRoute
from attnscope.web.serializers.installed import describe_model, tensors_of, unopened
from attnscope.web.serializers.opening import current_registry
from attnscope.web.serializers.ranges import TensorSpan

router = APIRouter(tags=["models"], route_class=JsonRoute)

Name = Annotated[str, Path(description="As in GET /models, such as echo.")]


@described
class RecognisedReply:
    """How a model was recognised."""

    code: str = doc(
        "model_type (of config.json), gguf (header), adapter (adapter_config.json) or "
        "own_names (of tensors)."
    )
    values: dict[str, int | str] = doc("Of the message: tensors, kind, base.")
    message: str = doc("In the reader's language.")


@described
class InstalledReply:
    """A model on the server."""

    name: str = doc("For `model.name` of a question.")
    source: str = doc("installed, for `model.source` of a question.")
    origin: Literal["shipped", "disk"] = doc("shipped with the server, or on its disk.")
    family: str = doc("Which kind of checkpoint.")
    base: str | None = doc("Of a LoRA adapter: the model that it changes; else null.")
    recognised: RecognisedReply = doc("How it was recognised.")
    language: str | None = doc("en or zh; null: of no language.")
    revisions: list[str] = doc("Weights during training; null in a question means the last.")
    shape: dict[str, int] = doc("num_layers, num_heads, num_kv_heads, d_model, …")
    context: int = doc("Most tokens of a text.")
    vocabulary: int = doc("How many pieces.")
    predicts: str | None = doc(
        "next: the piece that follows; masked: the piece at a place; null: nothing."
    )
    notes: list[ShownOtherwise] = doc(
        "Differences from its own forward pass: accepted_keys, or none."
    )
    unread_keys: list[str] = doc("Keys of its config.json that its family does not use.")
    dtypes: list[str] = doc("Of its tensors as they are stored.")
    bytes: int = doc("Of its weights on disk.")


@described
class ProblemReply:
    """Why a model cannot be opened."""

    code: str = doc("As in errors, such as bad_weights_file.")
    message: str = doc("In the reader's language.")


@described
class UnopenedReply:
    """A model on the server's disk that cannot be opened."""

    name: str = doc("As it would be called.")
    source: str = doc("installed.")
    problem: ProblemReply = doc("What is wrong with it.")


@described
class InstalledModels:
    """Models by name."""

    models: list[InstalledReply | UnopenedReply] = doc(
        "In alphabetical order, adapters behind their base; then those that cannot be opened."
    )


@described
class KnownTensorReply(TensorReply):
    """One tensor of an installed model."""

    became: list[str] = doc(
        "Names here of the tensor or its parts, such as layers.0.w_q; empty if it is not read, or "
        "not used as stored."
    )


@described
class InstalledDetails(InstalledReply):
    """A model with its tensors."""

    tensors: list[KnownTensorReply] = doc("1,000 of its tensors at most.")
    num_tensors: int | None = optional_field(
        "How many there are: `?tensors=1000:2000` has more. Left out if all are listed."
    )


@router.get("/models", summary="The models on the server", response_model=InstalledModels)
async def models(request: Request) -> Response:
    """Shipped models, and checkpoints on the server's disk. Uploads are not listed."""
    present = (await current_registry(request)).existing_models()
    described = [describe_model(request, model) for model in present]
    return uncached({"models": [*described, *unopened(request)]})


@router.get(
    "/models/installed/{name:path}",
    summary="One model on the server",
    response_model=InstalledDetails,
)
async def details(request: Request, name: Name, tensors: TensorSpan = ":") -> Response:
    """A model with its tensors."""
    model = (await current_registry(request)).find(name)
    return uncached({**describe_model(request, model), **tensors_of(model, tensors)})
