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
CLOSED = {errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.EEXIST}


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else, thread or process, is in the same folder's lock meanwhile; makes the folder."""
    make(folder)
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


def make(folder: Path) -> None:
    """Makes a folder for its owner's eyes only, where there is none."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_whole(at: Path, data: bytes) -> None:
    """All of data in its place, or nothing: once this returns, even a power cut keeps it."""
    descriptor, new = tempfile.mkstemp(prefix=NEW, dir=at.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, at)
    except BaseException:
        Path(new).unlink(missing_ok=True)
        raise
    _sync_folder(at.parent)


def writable(folder: Path) -> bool:
    """Whether a byte can be written into the folder now."""
    try:
        make(folder)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0")
    except OSError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """A rename outlives a power cut only once its folder is on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
