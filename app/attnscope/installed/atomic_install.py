"""Atomic installation of a model into the data directory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attnscope.errors import AlreadyThere, AttnscopeError
from attnscope.storage.disk import (
    PRIVATE_FOLDER,
    clear_leftovers,
    coming,
    locked,
    place,
    storage_errors,
    sync_folder,
)


@contextmanager
def arriving(at: Path) -> Iterator[tuple[Path, Path]]:
    """A folder for the model's files, and a scratch folder. On success the first is renamed to
    `at`; otherwise both are removed.

    Raises AlreadyThere, StorageFull, and Busy if the same model is being installed.
    """
    folder = at.parent
    with storage_errors():
        with locked(folder):
            clear_leftovers(folder)
        with coming(folder, at.name) as new:
            if at.exists():  # under the lock: another process may have installed it
                raise AlreadyThere("installed", name=at.name)
            model, scratch = new / "model", new / "scratch"
            for each in (model, scratch):
                each.mkdir(mode=PRIVATE_FOLDER)
            yield model, scratch
            place(model, at)
        sync_folder(folder)


def clear_interrupted(folder: Path) -> None:
    """Remove leftovers of interrupted installations, as far as possible now."""
    with suppress(OSError, AttnscopeError):
        if folder.is_dir():
            with locked(folder):
                clear_leftovers(folder)
