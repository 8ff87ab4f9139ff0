from __future__ import annotations

import time
from typing import NamedTuple

HOUR, DAY = 3600.0, 86_400.0


class ClockState(NamedTuple):
    lived: float
    wall: float


class UptimeClock:
    """A clock that starts at the wall clock's time, then advances while a server runs.

    The first `advance` of a process also adds the time since the stored state, at most
    `_longest_gap`. The wall clock may be wrong, so callers then expire nothing.
    """

    def __init__(self, expiry_seconds: float) -> None:
        self.every = min(HOUR, expiry_seconds / 10)
        self._longest_gap = min(DAY, expiry_seconds / 30)
        self._lived: float | None = None
        self._looked = 0.0

    @property
    def begun(self) -> bool:
        return self._lived is not None

    @property
    def due(self) -> bool:
        return self._lived is None or time.monotonic() - self._looked >= self.every

    @property
    def now(self) -> float:
        if self._lived is None:
            return time.time()
        return self._lived + time.monotonic() - self._looked

    def advance(self, last: ClockState | None) -> ClockState:
        """Advance from `last`, the stored state. The caller stores the result."""
        wall = time.time()
        if self._lived is None:
            lived = wall if last is None else last.lived
            gap = 0.0 if last is None else wall - last.wall
            lived += min(max(gap, 0.0), self._longest_gap)
        else:
            lived = max(self.now, self._lived if last is None else last.lived)
        self._lived, self._looked = lived, time.monotonic()
        return ClockState(lived, wall)
