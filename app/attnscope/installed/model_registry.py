from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock

from attnscope.errors import BadWeightsFile, ModelChanged, UnknownModel, UnknownRevision
from attnscope.families.model import Weights
from attnscope.installed.adapters.base import (
    adapters_in,
    display_name,
    insertion_index,
    is_adapter,
    is_adapter_only,
    is_base,
    open_adapter,
)
from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.checkpoint_paths import checkpoints_in
from attnscope.installed.folder import ADAPTER
from attnscope.installed.model import InstalledModel
from attnscope.installed.source import readable
from attnscope.resources import models_dir
from attnscope.weights.formats.mapped import holds_weights

KEPT = 8  # cached revisions


RegistryModel = InstalledModel | Checkpoint
Stamp = tuple[int, int]  # inode and mtime
Mark = tuple[str, int, int]  # name, size and mtime


class ModelRegistry:
    """Models in `folder`, at `found` and at `paths`, with `adapters`.

    If `strict`, a broken adapter, or one of `paths` that is a broken model, raises BadWeightsFile.
    Other broken models are in `broken`. Dicts are replaced, not changed, since threads read them.
    """

    def __init__(
        self, folder: Path, paths: Sequence[Path] = (), found: Sequence[Path] = (),
        accepted: Sequence[str] = (), adapters: Sequence[Path] = (), strict: bool = True,
    ) -> None:  # fmt: skip
        self._accepted = frozenset(accepted)
        folders = sorted(path.parent for path in folder.glob("*/config.json"))
        self.models: dict[str, RegistryModel] = {
            path.name: InstalledModel(path) for path in folders
        }
        self.broken: dict[Path, BadWeightsFile] = {}
        self._marks: dict[Path, list[Mark]] = {}  # files of broken models
        self._met: list[Path] = []  # adapters found beside models
        self._arrivals: Callable[[], Sequence[Path]] = tuple
        self._seen = _stamps(found)
        self._looking = Lock()
        for path in found:
            self._add_if_readable(path)
        preinstalled = set(self.models)
        for path in paths:
            (self._add_named if strict else self._add_if_readable)(path)
        if strict or not self.broken:
            self.check_accepted()
        self._named = set(self.models) - preinstalled
        if not strict:
            self._met += [one for path in adapters for one in adapters_in(path) or [path]]
        self._add_found_adapters()
        if strict:
            self.add_adapters(adapters)
        self._weights = lru_cache(maxsize=KEPT)(self._read)

    def _add(self, path: Path, whole: bool = False) -> None:
        for model in [Checkpoint(one, self._accepted) for one in checkpoints_in(path)]:
            if model.name in self.models:
                raise BadWeightsFile("name_twice", at=str(model.path), name=model.name)
            if whole:
                model.pieces  # noqa: B018  (raises if the tokenizer is broken)
            self.models = {**self.models, model.name: model}
            if is_adapter(model.path):
                self._met.append(model.path)

    def add_adapters(self, paths: Sequence[Path]) -> None:
        for path in paths:
            for one in adapters_in(path) or [path]:
                self._adapt(one)

    def _adapt(self, path: Path) -> None:
        bases = [
            one for one in self.models.values() if isinstance(one, Checkpoint) and is_base(one)
        ]
        base, model = open_adapter(path, bases, self._named, self._accepted)
        there = self.models.get(model.name)
        if isinstance(there, Checkpoint) and there.path == model.path:
            return
        if there is not None:
            raise BadWeightsFile("name_twice", at=str(path), name=model.name)
        rows, at = list(self.models.items()), insertion_index(base.name, self.models)
        self.models = dict([*rows[:at], (model.name, model), *rows[at:]])

    def _add_found_adapters(self) -> None:
        for path in self._met:
            try:
                self._adapt(path)
            except BadWeightsFile as error:
                self._record_broken(_place_of_adapter(path), error)

    def _add_named(self, path: Path) -> None:
        inside = checkpoints_in(path)
        if inside == [path]:
            self._add(path)
        else:
            self._add_each(inside)

    def check_accepted(self) -> None:
        there = {key for model in self.models.values() for key in model.config.accepted}
        unknown = sorted(self._accepted - there)
        if unknown:
            raise BadWeightsFile("no_such_key", at="--accept", keys=", ".join(unknown)[:200])

    def _add_if_readable(self, path: Path) -> None:
        try:
            inside = checkpoints_in(path)
        except BadWeightsFile as error:
            if error.reason == "only_adapter":
                self._met.append(path)
            else:
                self._record_broken(path, error)
            return
        self._add_each(inside)

    def _add_each(self, inside: Sequence[Path]) -> None:
        for one in inside:
            if is_adapter_only(one):
                self._met.append(one)
                continue
            try:
                self._add(one, whole=True)
            except BadWeightsFile as error:
                self._record_broken(one, error)
            except OSError:
                self._record_broken(one, BadWeightsFile("unreadable", at=str(one)))

    def _record_broken(self, path: Path, error: BadWeightsFile) -> None:
        self._marks = {**self._marks, path: _marks(path)}
        self.broken = {**self.broken, path: error}

    def _changed_paths(self) -> list[Path]:
        return [path for path in self.broken if self._marks.get(path) != _marks(path)]

    def with_arrivals(self, arrivals: Callable[[], Sequence[Path]]) -> ModelRegistry:
        """Return a copy that also polls the paths of `arrivals`."""
        registry = copy(self)
        registry._arrivals, registry._seen = arrivals, dict(self._seen)
        return registry

    def has_new_models(self) -> bool:
        stamps = _stamps(self._arrivals()).items()
        return any(self._seen.get(path) != stamp for path, stamp in stamps) or bool(
            self._changed_paths()
        )

    def look(self) -> None:
        """Open new models, and broken ones whose files have changed."""
        with self._looking:
            for path in self._changed_paths():
                self.broken = {one: why for one, why in self.broken.items() if one != path}
                self._add_if_readable(path)
            for path, stamp in _stamps(self._arrivals()).items():
                if self._seen.get(path) == stamp:
                    continue
                self.broken = {one: why for one, why in self.broken.items()
                               if not one.is_relative_to(path)}  # fmt: skip
                if not self._has_model_in(path.resolve()):
                    self._add_if_readable(path)
                self._seen[path] = stamp

    def _has_model_in(self, path: Path) -> bool:
        known = (one.path for one in self.models.values() if isinstance(one, Checkpoint))
        return any(one.is_relative_to(path) for one in known)

    def existing_models(self) -> Iterator[RegistryModel]:
        for model in self.models.values():
            with suppress(ModelChanged):
                _ = model.config
                yield model

    def find(self, name: str, revision: str | None = None) -> RegistryModel:
        """`revision`: checked unless None. Raises UnknownModel, UnknownRevision, and
        BadWeightsFile if broken."""
        if name not in self.models and self.has_new_models():
            self.look()
        model = self.models.get(name)
        if model is None and (problem := self.problems.get(name)):
            raise problem
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

    @property
    def problems(self) -> dict[str, BadWeightsFile]:
        return {
            display_name(path): _without_path(path, error) for path, error in self.broken.items()
        }

    def weights(self, name: str, revision: str) -> Weights:
        model = self.models[name]
        return model.weights if isinstance(model, Checkpoint) else self._weights(name, revision)

    def _read(self, name: str, revision: str) -> Weights:
        model = self.models[name]
        assert isinstance(model, InstalledModel)
        return model.read(revision)


def _without_path(path: Path, error: BadWeightsFile) -> BadWeightsFile:
    at = readable(path.name) if error.at == str(path) else error.at
    return BadWeightsFile(error.reason, at=at, **error.values)


def _place_of_adapter(path: Path) -> Path:
    with suppress(OSError):
        return path / ADAPTER if holds_weights(path) else path
    return path


def _stamps(paths: Sequence[Path]) -> dict[Path, Stamp]:
    found = {}
    for path in paths:
        with suppress(OSError):
            status = path.stat()
            found[path] = (status.st_ino, status.st_mtime_ns)
    return found


def _marks(path: Path) -> list[Mark]:
    marks = []
    with suppress(OSError):
        for one in sorted(path.iterdir()) if path.is_dir() else [path]:
            status = one.stat()
            marks.append((one.name, status.st_size, status.st_mtime_ns))
    return marks


def shipped_model(name: str) -> InstalledModel:
    model = shipped().models[name]
    assert isinstance(model, InstalledModel)
    return model


@cache
def shipped() -> ModelRegistry:
    return ModelRegistry(models_dir())
