"""How often a client comes, counted in a memory that is bounded however many clients there are."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from attnscope.settings import rate_of

CLIENTS = 16_384  # remembered at once, about 5 MB; above, those whose time is up soonest go


class Window(NamedTuple):
    began: float
    hits: int


class Rate:
    """So many hits a window for each client, such as `120/minute`; a client's window begins with
    its first hit."""

    def __init__(self, text: str, now: Callable[[], float] = time.monotonic) -> None:
        self.text = text
        self.most, self.seconds = rate_of(text)
        self.now = now
        # By their beginnings, the oldest first; a plain dict would be slow to find its first.
        self.windows: OrderedDict[str, Window] = OrderedDict()

    def wait(self, client: str) -> int:
        """Whole seconds until a hit of this client would pass; 0 where it passes now."""
        window = self._window(client)
        if window.hits < self.most:
            return 0
        return max(1, math.ceil(window.began + self.seconds - self.now()))

    def hit(self, client: str) -> None:
        """Counts one."""
        window = self._window(client)
        self.windows[client] = window._replace(hits=window.hits + 1)
        while len(self.windows) > CLIENTS or self._is_over(next(iter(self.windows.values()))):
            self.windows.popitem(last=False)

    def _window(self, client: str) -> Window:
        """The client's window; a new one where it has none or its time is up."""
        window = self.windows.get(client)
        if window is not None and self._is_over(window):
            del self.windows[client]  # a new one belongs at the end
            window = None
        return window or Window(self.now(), 0)

    def _is_over(self, window: Window) -> bool:
        return self.now() >= window.began + self.seconds
