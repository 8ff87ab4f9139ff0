from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from attnscope.settings import rate_of

CLIENTS = 16_384  # in about 5 MB


class Window(NamedTuple):
    began: float
    hits: int


class Rate:
    """Limit such as `120/minute`; a client's window begins with its first hit."""

    def __init__(self, text: str, now: Callable[[], float] = time.monotonic) -> None:
        self.text = text
        self.most, self.seconds = rate_of(text)
        self.now = now
        # Oldest first; a dict would find its first entry slowly after deletions.
        self.windows: OrderedDict[str, Window] = OrderedDict()

    def wait(self, client: str) -> int:
        """Seconds until the next allowed hit, or 0."""
        window = self._window(client)
        if window.hits < self.most:
            return 0
        return max(1, math.ceil(window.began + self.seconds - self.now()))

    def hit(self, client: str) -> None:
        window = self._window(client)
        self.windows[client] = window._replace(hits=window.hits + 1)
        while len(self.windows) > CLIENTS or self._is_over(next(iter(self.windows.values()))):
            self.windows.popitem(last=False)

    def _window(self, client: str) -> Window:
        window = self.windows.get(client)
        if window is not None and self._is_over(window):
            del self.windows[client]
            window = None
        return window or Window(self.now(), 0)

    def _is_over(self, window: Window) -> bool:
        return self.now() >= window.began + self.seconds
