"""What is told of a model that is on the server: by the API, and by the page of models."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from app.installed.checkpoint import Checkpoint
from app.installed.shelf import ShelfModel
from app.web.http.languages import language_of
from app.web.texts import Catalogue

SIZES = ("num_layers", "num_heads", "num_kv_heads", "d_model", "d_k", "d_v")


def told_of(request: Request, model: ShelfModel) -> dict[str, Any]:
    """What it is, and why it is taken for that. Raises ModelChanged where its files are gone."""
    config, tensors = model.config, model.tensors()
    return {
        "name": model.name,
        "source": "installed",
        "origin": "disk" if isinstance(model, Checkpoint) else "shipped",
        "family": config.family,
        "recognised": _recognised(request, model, len(tensors)),
        "language": config.language,
        "revisions": list(model.revisions),
        "shape": {name: getattr(config, name) for name in SIZES},
        "context": config.context,
        "vocabulary": config.vocabulary,
        "predicts": config.predicts,
        "dtypes": sorted({dtype for _, _, dtype in tensors}),
        "bytes": model.bytes,
    }


def tensors_of(model: ShelfModel) -> list[dict[str, Any]]:
    """Every tensor as it is stored, and what it became here."""
    ours = model.our_names()
    return [
        {"name": name, "shape": list(sizes), "dtype": dtype, "became": ours.get(name, [])}
        for name, sizes, dtype in model.tensors()
    ]


def _recognised(request: Request, model: ShelfModel, tensors: int) -> dict[str, Any]:
    """By what it was: a code, the values of its sentence, and the sentence in the reader's
    language."""
    disk = isinstance(model, Checkpoint)
    code = "model_type" if disk else "own_names"
    values: dict[str, Any] = {"tensors": tensors}
    if disk:
        values["kind"] = model.config.family
    catalogue: Catalogue = request.app.state.catalogue
    message = catalogue.say(language_of(request), f"models.recognised.{code}", values)
    return {"code": code, "values": values, "message": message}
