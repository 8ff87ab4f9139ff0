"""Which adapters a path holds, and which model on the server each belongs to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from os.path import realpath
from pathlib import Path

from app.errors import BadWeightsFile
from app.installed.adapters.config import read_adapter
from app.installed.adapters.source import Adapter
from app.installed.checkpoint import Checkpoint
from app.installed.folder import ADAPTER
from app.installed.source import name_of
from app.resources import MOST
from app.weights.formats.mapped import holds_weights

BESIDE = "adapter"  # what an adapter in the folder of its base is called
NOTHING = "–"


def is_adapter(path: Path) -> bool:
    return (path / ADAPTER).is_file()


def is_lone(path: Path) -> bool:
    """Whether it is an adapter without the weights of its base."""
    return is_adapter(path) and not holds_weights(path)


def is_base(model: Checkpoint) -> bool:
    return not isinstance(model.source, Adapter)


def adapters_in(path: Path) -> list[Path]:
    """A folder with an adapter, and those right inside it, as PEFT saves several, or in a cache of
    Hugging Face."""
    inside = (file.parent for file in islice(path.glob(f"*/{ADAPTER}"), MOST))
    cached = (file.parent for file in islice(path.glob(f"snapshots/*/{ADAPTER}"), MOST))
    return [*([path] if is_adapter(path) else []), *sorted(inside), *sorted(cached)]


def called(path: Path) -> str:
    """The name of a model that cannot be opened; that of an adapter beside its base is given by
    the path of its config."""
    return f"{name_of(path.parent)}+{BESIDE}" if path.name == ADAPTER else name_of(path)


def place_of(base: str, names: Iterable[str]) -> int:
    """Behind a base and its adapters, among the names of all models."""
    return max(i + 1 for i, one in enumerate(names) if one == base or one.startswith(f"{base}+"))


def adapted(
    path: Path, bases: Sequence[Checkpoint], named: Collection[str], accepted: Collection[str]
) -> tuple[Checkpoint, Checkpoint]:
    """The base of an adapter, and it with the adapter. Raises BadWeightsFile for a path without an
    adapter, and for whatever keeps it from being opened."""
    if not is_adapter(path):
        raise BadWeightsFile("no_adapter", at=str(path))
    try:
        wanted = read_adapter(path).base
        beside = next((model for model in bases if model.path == path.resolve()), None)
        base = beside or base_of(path, wanted, bases, named)
        source = Adapter(base.source, path, BESIDE if beside else name_of(path.resolve()))
        model = Checkpoint(source, accepted)
    except OSError:
        raise BadWeightsFile("unreadable", at=str(path)) from None
    model.pieces  # noqa: B018  (it raises what is wrong with it)
    return base, model


def base_of(
    path: Path, wanted: str, bases: Sequence[Checkpoint], named: Collection[str]
) -> Checkpoint:
    """The model that an adapter calls its base: by name, by path, or by the last part of its name;
    else the only one of those `named` at the start. Raises BadWeightsFile if none fits, or more
    than one."""
    # Not Path.resolve, which raises for links that go in a circle.
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
    """Of org/model, org--model or a path: model."""
    return name.replace("--", "/").rstrip("/").rpartition("/")[2].lower()
