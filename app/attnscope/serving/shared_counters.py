from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "attnscope-metrics-"
MEMORY = Path("/dev/shm")  # not on disk: a full disk makes mapped files raise SIGBUS


@contextmanager
def counter_folder() -> Iterator[Path]:
    """Create a folder for the counters of all workers, and remove those of killed servers."""
    where = MEMORY if os.access(MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    for old in where.glob(f"{PREFIX}*"):
        with suppress(OSError):
            _sweep(old)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=where))
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _sweep(old: Path) -> None:
    if old.lstat().st_uid == os.getuid():
        with (old / "lock").open("r") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(old)
