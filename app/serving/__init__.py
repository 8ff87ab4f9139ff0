"""The server around the app: connections, workers, an end in time, the log."""

from __future__ import annotations

import socket

from app.settings import Settings


def serve_on(settings: Settings, sockets: list[socket.socket], workers: int) -> int:
    """Serves until a signal comes; the exit code."""
    # Here, and not above: `attnscope --help` needs neither server nor web framework.
    from app.serving.server import Server
    from app.serving.workers import Workers

    if workers > 1:
        return Workers(settings, sockets, workers).run()
    Server(settings).serve_on(sockets)
    return 0
