"""Time as a store has lived it, by which things expire: a wall clock that jumps moves nothing."""

from __future__ import annotations

import time
from typing import NamedTuple

HOUR, DAY = 3600.0, 86_400.0


class Look(NamedTuple):
    """What one look at the time leaves for the next process: seconds lived, and the wall clock."""

    lived: float
    wall: float


class LivedTime:
    """Seconds that servers of one store have run, by the machine's monotonic clock.

    The wall clock speaks once, at the first look of a process, for the time since the last look of
    another: a thirtieth of the expiry at most. So a first look is no ground to delete anything.
    """

    def __init__(self, expiry_seconds: float) -> None:
        self.every = min(HOUR, expiry_seconds / 10)
        self._longest_gap = min(DAY, expiry_seconds / 30)
        self._lived: float | None = None
        self._looked = 0.0

    @property
    def begun(self) -> bool:
        """Whether there was a look."""
        return self._lived is not None

    @property
    def due(self) -> bool:
        """Whether it is time for a look."""
        return self._lived is None or time.monotonic() - self._looked >= self.every

    @property
    def now(self) -> float:
        """Seconds lived; the wall clock until the first look."""
        if self._lived is None:
            return time.time()
        return self._lived + time.monotonic() - self._looked

    def look(self, last: Look | None) -> Look:
        """Goes on from the last look of all processes; what it returns is to be kept for them."""
        wall = time.time()
        if self._lived is None:
            lived = wall if last is None else last.lived
            gap = 0.0 if last is None else wall - last.wall
            lived += min(max(gap, 0.0), self._longest_gap)
        else:
            lived = max(self.now, self._lived if last is None else last.lived)
        self._lived, self._looked = lived, time.monotonic()
        return Look(lived, wall)
