"""Files that are there whole or not at all, and what a disk may answer."""

from __future__ import annotations

import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.errors import StorageFull

NEW = ".new-"  # what is being written; readers never look there
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
CLOSED = {errno.EROFS, errno.EACCES, errno.EPERM}


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else, thread or process, is in the same folder's lock meanwhile."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / ".lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def storage_errors() -> Iterator[None]:
    """Raises StorageFull where the disk is full or may not be written."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise StorageFull("disk_full") from error
        if error.errno in CLOSED:
            raise StorageFull("not_writable") from error
        raise


def new_file(folder: Path, size: int) -> Path:
    """A file of that length, for its owner's eyes only; it is not in its place yet."""
    descriptor, path = tempfile.mkstemp(prefix=NEW, dir=folder)
    try:
        os.truncate(descriptor, size)
    finally:
        os.close(descriptor)
    return Path(path)


def place(new: Path, data: bytes, at: Path, *, durable: bool) -> None:
    """Fills a new file and renames it to where it belongs; durable: even a power cut keeps it."""
    try:
        with new.open("r+b") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        new.replace(at)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    if durable:
        descriptor = os.open(at.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
