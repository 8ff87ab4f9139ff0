from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from attnscope.families.model import ModelConfig, Sizes, Tensors
from attnscope.tokens.subword_tokenizer import SubwordTokenizer

CACHED, SNAPSHOTS = "models--", "snapshots"
Stamp = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True)
class CheckpointContent:
    """Unchecked. `dtypes` and `bytes` are those on disk."""

    config: dict[str, Any]
    tensors: Tensors
    sizes: Sizes
    dtypes: dict[str, str]
    bytes: int


class Source(Protocol):
    """Raises BadWeightsFile, and OSError for missing files."""

    @property
    def path(self) -> Path: ...

    @property
    def name(self) -> str:
        pass

    def stamp(self) -> Stamp:
        """Name, size, time and inode of each file."""

    def read(self) -> CheckpointContent:
        pass

    def pieces(self, about: ModelConfig) -> SubwordTokenizer:
        pass


def name_of(path: Path) -> str:
    """ORG/NAME in Hugging Face caches, else the file or folder name."""
    home = path.parent.parent
    if path.parent.name == SNAPSHOTS and home.name.startswith(CACHED):
        return readable(home.name.removeprefix(CACHED).replace("--", "/"))
    return readable(path.stem if path.is_file() else path.name)


def readable(name: str) -> str:
    """Replace bytes that JSON cannot encode."""
    return os.fsencode(name).decode("utf-8", errors="replace")


def stamp_of(paths: list[Path]) -> Stamp:
    stats = [(path.name, path.stat()) for path in paths]
    return tuple((name, one.st_size, one.st_mtime_ns, one.st_ino) for name, one in stats)
