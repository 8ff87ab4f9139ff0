from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attnscope.errors import AttnscopeError, NameTaken
from attnscope.storage.disk import (
    PRIVATE_FOLDER,
    clear_leftovers,
    locked,
    move_into_place,
    storage_errors,
    sync,
    temporary_folder,
)


@contextmanager
def install_folders(at: Path) -> Iterator[tuple[Path, Path]]:
    """Yield two folders: one becomes `at` on success, one is for scratch files. Raises NameTaken,
    StorageFull, Busy."""
    folder = at.parent
    with storage_errors():
        with locked(folder):
            clear_leftovers(folder)
        with temporary_folder(folder, at.name) as new:
            if at.exists():  # created meanwhile
                raise NameTaken("installed", name=at.name)
            model, scratch = new / "model", new / "scratch"
            for each in (model, scratch):
                each.mkdir(mode=PRIVATE_FOLDER)
            yield model, scratch
            move_into_place(model, at)
        sync(folder)


def clear_interrupted(folder: Path) -> None:
    with suppress(OSError, AttnscopeError):
        if folder.is_dir():
            with locked(folder):
                clear_leftovers(folder)
