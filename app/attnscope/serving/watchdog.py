"""The end, in time: a signal begins it, and a thread of its own sees that it comes."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable

log = logging.getLogger("attnscope.server")
SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Watchdog:
    """After the first signal the process has `seconds` to end; then the thread ends it.

    Python runs a handler between two steps of the main thread, which may be in a long step of
    numpy or SQLite. The system's own note of a signal (set_wakeup_fd) reaches this thread at once.
    """

    def __init__(self, seconds: float, last_words: Callable[[], None]) -> None:
        self.seconds = seconds
        self.last_words = last_words
        self._heard, self._signalled = socket.socketpair()
        self._signalled.setblocking(False)
        self._done = threading.Event()

    def start(self) -> None:
        """From the main thread, before the handlers are set."""
        signal.set_wakeup_fd(self._signalled.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def _watch(self) -> None:
        while True:
            if self._heard.recv(1)[0] in SIGNALS:
                break
        if not self._done.wait(self.seconds):
            log.warning("ended by force: something ran on")
            self.last_words()
            os._exit(0)
