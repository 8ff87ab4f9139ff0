"""Where a checkpoint lies on the disk: a folder, or one file that holds everything."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from app.families.model import About, Sizes, Tensors
from app.tokens.pieces import Pieces

CACHED, SNAPSHOTS = "models--", "snapshots"
Stamp = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True)
class Found:
    """What lies there: the config and the tensors as a family reads them, not yet held against each
    other; the type that each tensor has on the disk; and the bytes of the weights."""

    config: dict[str, Any]
    tensors: Tensors
    sizes: Sizes
    dtypes: dict[str, str]
    bytes: int


class Source(Protocol):
    """One way in. Raises BadWeightsFile for what cannot be read, and OSError for what is gone."""

    @property
    def path(self) -> Path: ...

    @property
    def name(self) -> str:
        """What the model is called."""

    def stamp(self) -> Stamp:
        """Name, size, time and inode of every file."""

    def read(self) -> Found:
        """What lies there; the numbers stay on the disk."""

    def pieces(self, about: About) -> Pieces:
        """Of its tokenizer, held against the rows of its embeddings."""


def name_of(path: Path) -> str:
    """What a checkpoint is called: as its folder or its file, and in a cache of Hugging Face, where
    it lies in models--ORG--NAME/snapshots/REVISION, ORG/NAME."""
    home = path.parent.parent
    if path.parent.name == SNAPSHOTS and home.name.startswith(CACHED):
        return readable(home.name.removeprefix(CACHED).replace("--", "/"))
    return readable(path.stem if path.is_file() else path.name)


def readable(name: str) -> str:
    """The name of a file or folder, with � for bytes that are no UTF-8: no
    reply could tell them."""
    return os.fsencode(name).decode("utf-8", errors="replace")


def stamp_of(paths: list[Path]) -> Stamp:
    """Name, size, time and inode of some files."""
    stats = [(path.name, path.stat()) for path in paths]
    return tuple((name, one.st_size, one.st_mtime_ns, one.st_ino) for name, one in stats)
