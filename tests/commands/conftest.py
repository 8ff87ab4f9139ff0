"""No command of a test leaves its settings to the next."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA_DIR", "MODELS", "ADAPTERS", "ACCEPT"):
        name = f"ATTNSCOPE_{name}"
        monkeypatch.setenv(name, "unset")  # set, then taken away: undone after the test
        monkeypatch.delenv(name)
