"""The models that are on the server, by name; nobody can add one or take one away."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from app.errors import UnknownModel, UnknownRevision
from app.installed.model import InstalledModel, Weights
from app.resources import models_dir

KEPT = 8  # revisions in memory: a few MB each


class Shelf:
    """Every folder with a config.json in one folder, in alphabetical order."""

    def __init__(self, folder: Path) -> None:
        folders = sorted(path.parent for path in folder.glob("*/config.json"))
        self.models = {path.name: InstalledModel(path) for path in folders}
        self._weights = lru_cache(maxsize=KEPT)(self._read)

    def find(self, name: str, revision: str | None = None) -> InstalledModel:
        """Raises UnknownModel and UnknownRevision; null is the newest revision."""
        model = self.models.get(name)
        if model is None:
            there = ", ".join(self.models)
            raise UnknownModel("not_installed", at="model.name", name=name[:64], models=there)
        if revision is not None and revision not in model.revisions:
            there = ", ".join(model.revisions)
            raise UnknownRevision(
                "unknown_revision", at="model.revision", name=name, revision=revision[:64],
                revisions=there,
            )  # fmt: skip
        return model

    def weights(self, name: str, revision: str) -> Weights:
        """The numbers of one revision, read once while it is used."""
        return self._weights(name, revision)

    def _read(self, name: str, revision: str) -> Weights:
        return self.models[name].read(revision)


@cache
def shipped() -> Shelf:
    """The models that come with the server."""
    return Shelf(models_dir())
