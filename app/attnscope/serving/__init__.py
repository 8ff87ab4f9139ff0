"""The server around the app: connections, workers, an end in time, the log."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

from attnscope.serving.counting import counting
from attnscope.settings import COUNTING, Settings


def serve_on(
    settings: Settings, sockets: list[socket.socket], workers: int, answering: Callable[[], None]
) -> int:
    """Serves until a signal comes; the exit code. Calls answering() when the first worker does."""
    # BLAS runs in one thread anyway; one that begins when numpy is imported would not be forked.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with counting(workers) as folder:
        if folder is not None:
            os.environ[COUNTING] = str(folder)
        # Here, and not above: `attnscope --help` needs neither server nor web framework, and the
        # counters among them read the environment when they are imported.
        from attnscope.serving.workers import Workers

        return Workers(settings, sockets, workers, answering, folder).run()
