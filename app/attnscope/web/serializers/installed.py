from __future__ import annotations

from typing import Any

from fastapi import Request

from attnscope.installed.adapters.source import Adapter
from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.gguf.file import GgufFile
from attnscope.installed.model_registry import RegistryModel
from attnscope.web.http.languages import language_of, sayer
from attnscope.web.http.problems import sentence
from attnscope.web.http.requests import engine_of
from attnscope.web.serializers.notes import messages_of
from attnscope.web.serializers.ranges import counted, tensor_page


def describe_model(request: Request, model: RegistryModel) -> dict[str, Any]:
    """Raises ModelChanged if its files are gone."""
    config, tensors = model.config, model.tensors()
    made = config.architecture
    return {
        "name": model.name,
        "source": "installed",
        "origin": "disk" if isinstance(model, Checkpoint) else "shipped",
        "family": config.family,
        "base": base_of(model),
        "recognised": _recognised(request, model, len(tensors)),
        "language": config.language,
        "revisions": list(model.revisions),
        "shape": {"num_layers": made.num_layers, **vars(made.shape)},
        "context": config.context,
        "vocabulary": config.vocabulary,
        "predicts": config.predicts,
        "notes": messages_of(request, config.notes, config.accepted),
        "unread_keys": list(config.unread),
        "dtypes": sorted({dtype for _, _, dtype in tensors}),
        "bytes": model.bytes,
    }


def unopened(request: Request) -> list[dict[str, Any]]:
    catalogue, language = request.app.state.catalogue, language_of(request)
    return [
        {
            "name": name,
            "source": "installed",
            "problem": {"code": error.code, "message": sentence(catalogue, language, error)},
        }
        for name, error in engine_of(request).registry.problems.items()
    ]


def tensors_of(model: RegistryModel, asked: str) -> dict[str, Any]:
    ours, tensors = model.our_names(), model.tensors()
    page = tensor_page(asked, len(tensors))
    listed = [
        {"name": name, "shape": list(sizes), "dtype": dtype, "became": ours.get(name, [])}
        for name, sizes, dtype in tensors[page]
    ]
    return {"tensors": listed, **counted(page, len(tensors))}


def _recognised(request: Request, model: RegistryModel, tensors: int) -> dict[str, Any]:
    values: dict[str, Any] = {"tensors": tensors}
    code = "own_names"
    if isinstance(model, Checkpoint):
        code = "gguf" if isinstance(model.source, GgufFile) else "model_type"
        values["kind"] = model.config.family
    if base := base_of(model):
        code, values["base"] = "adapter", base
    say = sayer(request)
    message = say(f"models.recognised.{code}", values)
    if not isinstance(model, Checkpoint):
        message = f"{say(f'models.shipped.{model.name}')} {message}"
    return {"code": code, "values": values, "message": message}


def base_of(model: RegistryModel) -> str | None:
    source = model.source if isinstance(model, Checkpoint) else None
    return source.base.name if isinstance(source, Adapter) else None
