"""The models that are on the server, by name: those that came with it, and those on its disk that
it was started with; nobody can add one or take one away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path

from app.errors import BadWeightsFile, ModelChanged, UnknownModel, UnknownRevision
from app.families.model import Weights
from app.installed.adapters.base import (
    adapted,
    adapters_in,
    called,
    is_adapter,
    is_base,
    is_lone,
    place_of,
)
from app.installed.checkpoint import Checkpoint
from app.installed.folder import ADAPTER, CONFIG
from app.installed.gguf.file import SUFFIX, is_gguf
from app.installed.model import InstalledModel
from app.installed.other_layout import CONSOLIDATED, is_consolidated
from app.installed.source import CACHED, SNAPSHOTS
from app.resources import MOST, models_dir
from app.weights.formats.mapped import holds_weights

KEPT = 8  # revisions in memory: a few MB each


ShelfModel = InstalledModel | Checkpoint


class Shelf:
    """Every folder with a config.json in one folder, in alphabetical order; then the `paths`, each
    a checkpoint or a folder of some; behind its base each of the `adapters`.

    Raises BadWeightsFile for a path that holds none, for one that is a checkpoint and is not
    computed here, and for two of one name. Of what lies in a folder of some, and in the paths
    `found`, such a one is left out: `broken` tells what is wrong with it; not `strict`: of the
    others too. Keys of their configs that are `accepted` do not keep them from being opened; one
    that no model has is refused.
    """

    def __init__(
        self, folder: Path, paths: Sequence[Path] = (), found: Sequence[Path] = (),
        accepted: Sequence[str] = (), adapters: Sequence[Path] = (), strict: bool = True,
    ) -> None:  # fmt: skip
        self._accepted = frozenset(accepted)
        folders = sorted(path.parent for path in folder.glob("*/config.json"))
        self.models: dict[str, ShelfModel] = {path.name: InstalledModel(path) for path in folders}
        self.broken: dict[Path, BadWeightsFile] = {}
        self._met: list[Path] = []  # adapters in the folders
        for path in found:
            self._add_sound(path)
        brought = set(self.models)
        for path in paths:
            (self._add_named if strict else self._add_sound)(path)
        self._check_accepted()
        self._named = set(self.models) - brought
        if not strict:
            self._met += [one for path in adapters for one in adapters_in(path) or [path]]
        self._add_met()
        if strict:
            self.add_adapters(adapters)
        self._weights = lru_cache(maxsize=KEPT)(self._read)

    def _add(self, paths: Sequence[Path], whole: bool = False) -> None:
        """Puts what the paths hold on the shelf; `whole`: their tokenizers are read too."""
        models = [Checkpoint(path, self._accepted) for path in checkpoints_in(paths)]
        for model in models:
            if model.name in self.models:
                raise BadWeightsFile("name_twice", at=str(model.path), name=model.name)
            if whole:
                model.pieces  # noqa: B018  (it raises what is wrong with it)
            self.models[model.name] = model
            if is_adapter(model.path):
                self._met.append(model.path)

    def add_adapters(self, paths: Sequence[Path]) -> None:
        """Puts the adapters that the paths hold on the shelf. Raises BadWeightsFile for one that
        cannot be opened, or has no base here."""
        for path in paths:
            for one in adapters_in(path) or [path]:
                self._adapt(one)

    def _adapt(self, path: Path) -> None:
        """An adapter that is there already is passed over: it lies beside its base."""
        bases = [
            one for one in self.models.values() if isinstance(one, Checkpoint) and is_base(one)
        ]
        base, model = adapted(path, bases, self._named, self._accepted)
        there = self.models.get(model.name)
        if isinstance(there, Checkpoint) and there.path == model.path:
            return
        if there is not None:
            raise BadWeightsFile("name_twice", at=str(path), name=model.name)
        rows, at = list(self.models.items()), place_of(base.name, self.models)
        self.models = dict([*rows[:at], (model.name, model), *rows[at:]])

    def _add_met(self) -> None:
        """Of the adapters in the folders, puts on the shelf what can be opened."""
        for path in self._met:
            try:
                self._adapt(path)
            except BadWeightsFile as error:
                self.broken[path / ADAPTER if holds_weights(path) else path] = error

    def _add_named(self, path: Path) -> None:
        inside = checkpoints_in([path])
        if inside == [path]:
            self._add(inside)
        else:
            self._add_each(inside)

    def _check_accepted(self) -> None:
        """Raises BadWeightsFile for a key that no model has."""
        there = {key for model in self.models.values() for key in model.config.accepted}
        unknown = sorted(self._accepted - there)
        if unknown:
            raise BadWeightsFile("no_such_key", at="--accept", keys=", ".join(unknown)[:200])

    def _add_sound(self, path: Path) -> None:
        """Of what a path holds, puts on the shelf what can be opened."""
        if is_lone(path):
            self._met.append(path)
            return
        try:
            inside = checkpoints_in([path])
        except BadWeightsFile as error:
            self.broken[path] = error
            return
        self._add_each(inside)

    def _add_each(self, inside: Sequence[Path]) -> None:
        for one in inside:
            if is_lone(one):
                self._met.append(one)
                continue
            try:
                self._add([one], whole=True)
            except BadWeightsFile as error:
                self.broken[one] = error
            except OSError:
                self.broken[one] = BadWeightsFile("unreadable", at=str(one))

    def present(self) -> Iterator[ShelfModel]:
        """The models whose files are still there: one that is gone hides no other."""
        for model in self.models.values():
            with suppress(ModelChanged):
                _ = model.config
                yield model

    def find(self, name: str, revision: str | None = None) -> ShelfModel:
        """Raises UnknownModel and UnknownRevision, and BadWeightsFile for a model that cannot be
        opened; null is the newest revision."""
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
        """Name of each model that cannot be opened → its error, without its path."""
        return {called(path): _without_path(path, error) for path, error in self.broken.items()}

    def weights(self, name: str, revision: str) -> Weights:
        """The numbers of one revision, read once while it is used."""
        model = self.models[name]
        return model.weights if isinstance(model, Checkpoint) else self._weights(name, revision)

    def _read(self, name: str, revision: str) -> Weights:
        model = self.models[name]
        assert isinstance(model, InstalledModel)
        return model.read(revision)


def _without_path(path: Path, error: BadWeightsFile) -> BadWeightsFile:
    at = path.name if error.at == str(path) else error.at
    return BadWeightsFile(error.reason, at=at, **error.values)


def checkpoints_in(paths: Sequence[Path]) -> list[Path]:
    """Each path that is a checkpoint, and those in the others. Raises BadWeightsFile where there is
    none, and where there are more than MOST."""
    found: list[Path] = []
    for path in paths:
        if is_lone(path):
            raise BadWeightsFile("only_adapter", at=str(path))
        inside = [path] if _is_one(path) else sorted(_models_in(path))
        if not inside:
            raise BadWeightsFile("no_model", at=str(path))
        found += inside
    return found


def _is_one(path: Path) -> bool:
    """Whether a path is a checkpoint: a .gguf file, or a folder with a config or with consolidated
    weights, which says what is missing. One that has no weights beside its config, but .gguf files,
    is a folder of these."""
    if not (path / CONFIG).is_file():
        return is_gguf(path) or is_consolidated(path)
    return holds_weights(path) or not any(_files_in(path))


def _models_in(path: Path) -> Iterator[Path]:
    """The checkpoints right inside a folder, of which not everything is looked at."""
    if not path.is_dir():
        return
    if path.name.startswith(CACHED):
        yield from _cached_in(path)
        return
    for config in islice(path.glob(f"*/{CONFIG}"), MOST + 1):
        yield config.parent
    for folder in {file.parent for file in islice(path.glob(f"*/{CONSOLIDATED}"), MOST + 1)}:
        if is_consolidated(folder) and not (folder / CONFIG).is_file():
            yield folder
    for config in islice(path.glob(f"*/{ADAPTER}"), MOST + 1):
        if not (config.parent / CONFIG).is_file():
            yield config.parent
    for cached in islice(path.glob(f"{CACHED}*"), MOST + 1):
        yield from _cached_in(cached)
    yield from islice(_files_in(path), MOST + 1)
    for file in islice(path.glob(f"*/*{SUFFIX}"), MOST + 1):
        if is_gguf(file) and not (file.parent / CONFIG).is_file():
            yield file


def _cached_in(path: Path) -> Iterator[Path]:
    """The snapshot of a model in a cache of Hugging Face: that which its ref `main` names, else the
    only one."""
    snapshots = sorted((path / SNAPSHOTS).glob("*"))
    with suppress(OSError, UnicodeDecodeError):
        main = (path / "refs/main").read_text(encoding="utf-8").strip()
        snapshots = [one for one in snapshots if one.name == main] or snapshots
    if len(snapshots) == 1:
        yield snapshots[0]


def _files_in(path: Path) -> Iterator[Path]:
    return (one for one in path.glob(f"*{SUFFIX}") if is_gguf(one))


def shipped_model(name: str) -> InstalledModel:
    """A model that comes with the server."""
    model = shipped().models[name]
    assert isinstance(model, InstalledModel)
    return model


@cache
def shipped() -> Shelf:
    """The models that come with the server."""
    return Shelf(models_dir())
