from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from attnscope.errors import BadWeightsFile
from attnscope.installed.adapters.base import is_adapter_only
from attnscope.installed.folder import ADAPTER, CONFIG, CONSOLIDATED, is_consolidated
from attnscope.installed.gguf.file import SUFFIX, is_gguf
from attnscope.installed.source import CACHED, SNAPSHOTS
from attnscope.resources import MOST_INSTALLED
from attnscope.weights.formats.mapped import holds_weights


def checkpoints_in(path: Path) -> list[Path]:
    """Raises BadWeightsFile for no model, too many, only an adapter, or an unreadable path."""
    try:
        if is_adapter_only(path):
            raise BadWeightsFile("only_adapter", at=str(path))
        inside = (
            [path]
            if _is_single_model(path)
            else sorted(islice(_models_in(path), MOST_INSTALLED + 1))
        )
    except OSError:  # such as permissions
        raise BadWeightsFile("unreadable", at=str(path)) from None
    if not inside:
        raise BadWeightsFile("no_model", at=str(path))
    if len(inside) > MOST_INSTALLED:
        raise BadWeightsFile("too_many_models", at=str(path), most=MOST_INSTALLED)
    return inside


def _is_single_model(path: Path) -> bool:
    """False for a config with .gguf files but no safetensors: each .gguf is a model."""
    if not (path / CONFIG).is_file():
        return is_gguf(path) or is_consolidated(path)
    return holds_weights(path) or not any(_files_in(path))


def _models_in(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        return
    if path.name.startswith(CACHED):
        yield from _cached_in(path)
        return
    for config in path.glob(f"*/{CONFIG}"):
        yield config.parent
    for folder in {file.parent for file in path.glob(f"*/{CONSOLIDATED}")}:
        if is_consolidated(folder) and not (folder / CONFIG).is_file():
            yield folder
    for config in path.glob(f"*/{ADAPTER}"):
        if not (config.parent / CONFIG).is_file():
            yield config.parent
    for cached in path.glob(f"{CACHED}*"):
        yield from _cached_in(cached)
    yield from _files_in(path)
    for file in path.glob(f"*/*{SUFFIX}"):
        if is_gguf(file) and not (file.parent / CONFIG).is_file():
            yield file


def _cached_in(path: Path) -> Iterator[Path]:
    """The snapshot of ref `main`, or the only one."""
    snapshots = sorted((path / SNAPSHOTS).glob("*"))
    with suppress(OSError, UnicodeDecodeError):
        main = (path / "refs/main").read_text(encoding="utf-8").strip()
        snapshots = [one for one in snapshots if one.name == main] or snapshots
    if len(snapshots) == 1:
        yield snapshots[0]


def _files_in(path: Path) -> Iterator[Path]:
    return (one for one in path.glob(f"*{SUFFIX}") if is_gguf(one))
