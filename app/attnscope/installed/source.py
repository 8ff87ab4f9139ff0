"""Where a checkpoint comes from: a folder, or one file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from attnscope.families.model import About, Sizes, Tensors
from attnscope.tokens.subword_tokenizer import Pieces

CACHED, SNAPSHOTS = "models--", "snapshots"
Stamp = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True)
class Found:
    """Config and tensors as a family reads them, not yet checked against each other; the dtype of
    each tensor on disk; the size of the weights in bytes."""

    config: dict[str, Any]
    tensors: Tensors
    sizes: Sizes
    dtypes: dict[str, str]
    bytes: int


class Source(Protocol):
    """A readable checkpoint. Methods raise BadWeightsFile for unreadable files and OSError for
    missing ones."""

    @property
    def path(self) -> Path: ...

    @property
    def name(self) -> str:
        """The model's name."""

    def stamp(self) -> Stamp:
        """Name, size, time and inode of every file."""

    def read(self) -> Found:
        """Config and tensors; numbers stay on the disk."""

    def pieces(self, about: About) -> Pieces:
        """The tokenizer, checked against the number of embeddings."""


def name_of(path: Path) -> str:
    """The name of a checkpoint: that of its folder or file; in a Hugging Face cache
    (models--ORG--NAME/snapshots/REVISION), ORG/NAME."""
    home = path.parent.parent
    if path.parent.name == SNAPSHOTS and home.name.startswith(CACHED):
        return readable(home.name.removeprefix(CACHED).replace("--", "/"))
    return readable(path.stem if path.is_file() else path.name)


def readable(name: str) -> str:
    """The name of a file or folder, with � for bytes that JSON cannot encode."""
    return os.fsencode(name).decode("utf-8", errors="replace")


def stamp_of(paths: list[Path]) -> Stamp:
    """Name, size, time and inode of some files."""
    stats = [(path.name, path.stat()) for path in paths]
    return tuple((name, one.st_size, one.st_mtime_ns, one.st_ino) for name, one in stats)
