"""Settings of one command do not reach the next test."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA_DIR", "MODELS", "ADAPTERS", "ACCEPT"):
        name = f"ATTNSCOPE_{name}"
        monkeypatch.setenv(name, "unset")  # set, then deleted: undone after the test
        monkeypatch.delenv(name)
