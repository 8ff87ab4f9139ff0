from __future__ import annotations

from typing import Any

from fastapi import Request

from attnscope.errors import AlreadyThere, UnknownModel
from attnscope.installed.catalogue import OFFERS, Offer
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import installed_dir
from attnscope.settings import Settings
from attnscope.web.http.languages import language_of
from attnscope.web.texts import Catalogue


def offers_of(request: Request, registry: ModelRegistry) -> list[dict[str, Any]]:
    known = {model.name for model in registry.present()} | registry.problems.keys()
    catalogue: Catalogue = request.app.state.catalogue
    messages = catalogue.languages[language_of(request)]
    folder = installed_dir(_settings(request).data_dir)
    return [
        {
            "name": one.name,
            "about": messages.get(f"models.offer.{one.name}", one.about),
            "licence": one.licence,
            "package": one.package,
            "version": one.version,
            "sha256": one.sha256,
            "download": one.download,
            "bytes": one.bytes,
            "there": one.name in known or (folder / one.name).exists(),
        }
        for one in OFFERS.values()
    ]


def may_get(request: Request) -> bool:
    return _settings(request).may_get_models


def offer_for(request: Request, registry: ModelRegistry, name: str) -> Offer:
    """Raises UnknownModel, AlreadyThere."""
    offers = {one["name"]: one["there"] for one in offers_of(request, registry)}
    if name not in offers:
        raise UnknownModel("not_offered", at="name", name=name[:64], models=", ".join(offers))
    if offers[name]:
        raise AlreadyThere("installed", name=name)
    return OFFERS[name]


def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings
