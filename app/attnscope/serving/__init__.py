from __future__ import annotations

import fcntl
import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from attnscope.settings import COUNTING, Settings

PREFIX = "attnscope-metrics-"
MEMORY = Path("/dev/shm")  # not on disk: a full disk makes mapped files raise SIGBUS


@contextmanager
def counter_folder() -> Iterator[Path]:
    """Create a folder for the counters of all workers; remove folders of killed servers."""
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


def serve_on(
    settings: Settings, sockets: list[socket.socket], workers: int, answering: Callable[[], None]
) -> int:
    """Serve until a signal, and return the exit code. The first ready worker calls answering()."""
    # Must precede the import of numpy: threads of BLAS do not survive a fork.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with counter_folder() if workers > 1 else nullcontext() as folder:
        if folder is not None:
            os.environ[COUNTING] = str(folder)
        # prometheus_client reads COUNTING when it is imported
        from attnscope.serving.workers import Workers

        return Workers(settings, sockets, workers, answering, folder).run()
