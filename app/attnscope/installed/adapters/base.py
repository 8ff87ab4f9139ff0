from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from os.path import realpath
from pathlib import Path

from attnscope.errors import BadWeightsFile
from attnscope.families.model import ModelConfig
from attnscope.installed.adapters.changes import AdapterMerge
from attnscope.installed.adapters.config import read_adapter
from attnscope.installed.checkpoint import Checkpoint
from attnscope.installed.folder import ADAPTER, TOKENIZER, Folder
from attnscope.installed.source import CheckpointContent, Source, Stamp, name_of, stamp_of
from attnscope.resources import MOST_INSTALLED
from attnscope.tokens.subword_tokenizer import SubwordTokenizer
from attnscope.weights.formats.mapped import Mapped, holds_weights, map_files

WEIGHTS, PICKLED = "adapter_model.safetensors", "adapter_model.bin"


class Adapter:
    def __init__(self, base: Source, path: Path, name: str) -> None:
        self.base, self.path = base, path.resolve()
        self.name = f"{base.name}+{name}"

    def stamp(self) -> Stamp:
        own = [self.path / ADAPTER, self._weights()]
        own += [self.path / TOKENIZER] if self._own_tokenizer else []
        return *self.base.stamp(), *stamp_of(own)

    def read(self) -> CheckpointContent:
        keys, weights = read_adapter(self.path), self._weights()
        found = self.base.read()
        changed = AdapterMerge(found, _mapped(weights), keys, self.base.name).merged_content()
        return replace(changed, bytes=found.bytes + weights.stat().st_size)

    def pieces(self, about: ModelConfig) -> SubwordTokenizer:
        return (Folder(self.path) if self._own_tokenizer else self.base).pieces(about)

    @property
    def _own_tokenizer(self) -> bool:
        return (self.path / TOKENIZER).is_file()

    def _weights(self) -> Path:
        path = self.path / WEIGHTS
        if not path.is_file():
            pickled = (self.path / PICKLED).is_file()
            raise BadWeightsFile("adapter_pickled" if pickled else "adapter_alone", at=WEIGHTS)
        return path


def _mapped(weights: Path) -> Mapped:
    try:
        return map_files([weights])
    except BadWeightsFile as error:
        if error.reason != "no_tensors":
            raise
        raise BadWeightsFile("adapter_empty", at=WEIGHTS) from None


BESIDE = "adapter"
NOTHING = "–"


def is_adapter(path: Path) -> bool:
    return (path / ADAPTER).is_file()


def is_adapter_only(path: Path) -> bool:
    return is_adapter(path) and not holds_weights(path)


def is_base(model: Checkpoint) -> bool:
    return not isinstance(model.source, Adapter)


def adapters_in(path: Path) -> list[Path]:
    """Adapters at the path, one level below, and in snapshots of a cache; none if unreadable."""
    with suppress(OSError):
        inside = (file.parent for file in islice(path.glob(f"*/{ADAPTER}"), MOST_INSTALLED))
        cached = (
            file.parent for file in islice(path.glob(f"snapshots/*/{ADAPTER}"), MOST_INSTALLED)
        )
        return [*([path] if is_adapter(path) else []), *sorted(inside), *sorted(cached)]
    return []


def display_name(path: Path) -> str:
    return f"{name_of(path.parent)}+{BESIDE}" if path.name == ADAPTER else name_of(path)


def insertion_index(base: str, names: Iterable[str]) -> int:
    return max(i + 1 for i, one in enumerate(names) if one == base or one.startswith(f"{base}+"))


def open_adapter(
    path: Path, bases: Sequence[Checkpoint], named: Collection[str], accepted: Collection[str]
) -> tuple[Checkpoint, Checkpoint]:
    try:
        if not is_adapter(path):
            raise BadWeightsFile("no_adapter", at=str(path))
        wanted = read_adapter(path).base
        beside = next((model for model in bases if model.path == path.resolve()), None)
        base = beside or base_of(path, wanted, bases, named)
        source = Adapter(base.source, path, BESIDE if beside else name_of(path.resolve()))
        model = Checkpoint(source, accepted)
    except OSError:
        raise BadWeightsFile("unreadable", at=str(path)) from None
    model.pieces  # noqa: B018  (raises if the tokenizer is broken)
    return base, model


def base_of(
    path: Path, wanted: str, bases: Sequence[Checkpoint], named: Collection[str]
) -> Checkpoint:
    """Apply the first rule that exactly one base meets."""
    # realpath, as Path.resolve raises for circular links.
    places = {Path(realpath(one)) for one in (wanted, path / wanted) if wanted}
    rules = (
        [one for one in bases if one.name == wanted],
        [one for one in bases if one.path in places],
        [one for one in bases if wanted and _last(one.name) == _last(wanted)],
        [one for one in bases if one.name in named],
    )
    for fitting in rules:
        if len(fitting) == 1:
            return fitting[0]
    there = ", ".join(one.name for one in bases) or NOTHING
    raise BadWeightsFile("adapter_without_base", at=str(path), base=wanted or NOTHING, models=there)


def _last(name: str) -> str:
    return name.replace("--", "/").rstrip("/").rpartition("/")[2].lower()
