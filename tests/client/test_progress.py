"""Bars: only where somebody watches, and only with tqdm."""

from __future__ import annotations

import io
import sys

import pytest

from attnscope.client import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_is_drawn_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for screen, drawn in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", screen)
        counted = list(progress.tracked(range(3), "counting", 3, "text", delay=0.0))
        assert counted == [0, 1, 2]
        assert ("counting" in screen.getvalue()) is drawn


def test_without_tqdm_the_work_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert list(progress.tracked("abc", "counting", 3, "text")) == ["a", "b", "c"]
