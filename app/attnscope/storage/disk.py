from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attnscope.errors import Busy, StorageFull

NEW = ".new-"  # prefix of unfinished files
TEMPORARY = ".coming-"  # prefix of unfinished folders and deleted entries
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
OTHERS = stat.S_IRWXG | stat.S_IRWXO
PATIENCE = 0.5  # seconds to wait for a lock
OWN_NAMES = re.compile(r"questions\.sqlite.*|models|installed|maps|run|\.lock|\.sessions")
PRIVATE_PATTERNS = (
    "questions.sqlite*",
    ".lock",
    ".sessions",
    "models",
    "models/.lock",
    "models/.secret",
    "models/*.*",
    "installed",
    "maps",
    "run",
)
NOT_WRITABLE = {errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EISDIR, errno.EEXIST}
NOT_WRITABLE |= {errno.ELOOP, errno.ENXIO}  # circular links; sockets


@contextmanager
def locked(folder: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock of a folder, which is created if missing. Raises Busy after `patience`
    seconds."""
    make_folder(folder)
    descriptor = os.open(folder / ".lock", os.O_CREAT | os.O_RDWR, PRIVATE_FILE)
    try:
        _lock(descriptor, time.monotonic() + patience)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def storage_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise StorageFull("disk_full") from error
        if error.errno in NOT_WRITABLE:
            raise StorageFull("not_writable") from error
        raise


def make_folder(folder: Path) -> None:
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)


def keep_private(data: Path) -> None:
    """Deny other users access to our files, and to `data` if it has only our files."""
    with suppress(OSError):
        if all(OWN_NAMES.fullmatch(path.name) for path in data.iterdir()):
            _deny_others(data.resolve())
        for pattern in PRIVATE_PATTERNS:
            for path in data.glob(pattern):
                _deny_others(path)


def write_whole(at: Path, data: bytes, *, durable: bool = True) -> None:
    """Write or replace a file atomically; with `durable`, sync the file."""
    descriptor, new = tempfile.mkstemp(prefix=NEW, dir=at.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # clear_leftovers skips locked files
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
            os.replace(new, at)
    except BaseException:
        Path(new).unlink(missing_ok=True)
        raise
    if durable:
        sync(at.parent)


def write_new(at: Path, data: bytes) -> None:
    descriptor = os.open(at, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def temporary_folder(
    folder: Path,
    name: str | None = None,
    *,
    patience: float = PATIENCE,
    check: Callable[[], None] = lambda: None,
) -> Iterator[Path]:
    """Yield a new folder, which is deleted at the end unless `move_into_place` has moved it.

    check() runs first, while `folder` is locked. Raises Busy if an unfinished `name` exists.
    """
    with locked(folder, patience):
        check()
        path = _new_folder(folder, name)
        descriptor = os.open(path, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        os.close(descriptor)


def _new_folder(folder: Path, name: str | None) -> Path:
    if name is None:
        return Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=folder))
    path = folder / f"{TEMPORARY}{name}"
    try:
        path.mkdir(mode=PRIVATE_FOLDER)
    except FileExistsError:
        raise Busy("coming", name=name) from None
    return path


def move_into_place(new: Path, at: Path) -> None:
    if at.exists():
        remove_atomically(at)
    new.rename(at)


def remove_atomically(path: Path) -> None:
    """Rename, then delete. Raises FileNotFoundError."""
    gone = path.with_name(f"{TEMPORARY}{secrets.token_hex(4)}")
    path.rename(gone)
    _delete(gone)


def clear_leftovers(folder: Path) -> None:
    """Delete unfinished files and folders that no process locks. The caller locks `folder`."""
    with os.scandir(folder) as entries:
        found = [folder / one.name for one in entries if one.name.startswith((NEW, TEMPORARY))]
    for path in found:
        with suppress(OSError):  # links, sockets and unreadable folders stay
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                _lock(descriptor, 0.0)
                _delete(path)
            except Busy:
                pass  # in use
            finally:
                os.close(descriptor)


def writable(folder: Path) -> bool:
    try:
        make_folder(folder)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0")
    except OSError:
        return False
    return True


def sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _lock(descriptor: int, end: float) -> None:
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise Busy("storage_busy") from None
        time.sleep(0.01)


def _deny_others(path: Path) -> None:
    with suppress(OSError):
        status = path.lstat()
        mode = stat.S_IMODE(status.st_mode)
        plain = stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)
        if plain and status.st_uid == os.geteuid() and mode & OTHERS and not mode & stat.S_ISVTX:
            path.chmod(mode & ~OTHERS)
