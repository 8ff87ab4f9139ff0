from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import nullcontext

from attnscope.serving.shared_counters import counter_folder
from attnscope.settings import COUNTING, Settings


def serve_on(
    settings: Settings, sockets: list[socket.socket], workers: int, answering: Callable[[], None]
) -> int:
    """Serve until a signal, and return the exit code. Calls answering() when ready."""
    # Set before numpy is imported: threads of BLAS do not survive a fork.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with counter_folder() if workers > 1 else nullcontext() as folder:
        if folder is not None:
            os.environ[COUNTING] = str(folder)
        # prometheus_client reads COUNTING when it is imported
        from attnscope.serving.workers import Workers

        return Workers(settings, sockets, workers, answering, folder).run()
