"""A model on its way into the data directory: there whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from app.errors import AlreadyThere, AttnscopeError
from app.storage.disk import (
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
    """A folder to write the model into, and one beside it for what is needed meanwhile. Where all
    goes well the model gets its name `at`; else nothing is left of either.

    Raises AlreadyThere, StorageFull, and Busy where the same model is on its way already.
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
    """Removes what a crash left of models on their way, where that can be done now."""
    with suppress(OSError, AttnscopeError):
        if folder.is_dir():
            with locked(folder):
                clear_leftovers(folder)
