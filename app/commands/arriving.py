"""A model on its way into the data directory: there whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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

    Raises StorageFull, and Busy where another command writes there.
    """
    folder = at.parent
    with storage_errors():
        with locked(folder):
            clear_leftovers(folder)
        with coming(folder) as new:
            model, scratch = new / "model", new / "scratch"
            for each in (model, scratch):
                each.mkdir(mode=PRIVATE_FOLDER)
            yield model, scratch
            place(model, at)
        sync_folder(folder)
