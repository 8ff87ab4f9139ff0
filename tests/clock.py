"""A clock that tests move."""

from __future__ import annotations

import time

import pytest


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall, self.monotonic = 1e9, 1000.0
        monkeypatch.setattr(time, "time", lambda: self.wall)
        monkeypatch.setattr(time, "monotonic", lambda: self.monotonic)

    def tick(self, seconds: float) -> None:
        """Time passes while the machine runs."""
        self.wall += seconds
        self.monotonic += seconds

    def jump(self, seconds: float) -> None:
        """The wall clock is set, or the machine was off."""
        self.wall += seconds
