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
    """Ends the process `seconds` after the first signal.

    set_wakeup_fd reports signals at once; Python's handlers wait for the main thread, which may
    be in numpy.
    """

    def __init__(self, seconds: float, last_words: Callable[[], None]) -> None:
        self.seconds = seconds
        self.last_words = last_words
        self._heard, self._signalled = socket.socketpair()
        self._signalled.setblocking(False)
        self._done = threading.Event()

    def start(self) -> None:
        """Call in the main thread, before handlers are set."""
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
