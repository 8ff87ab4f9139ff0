"""Questions in their own folder, and a clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from attnscope.storage.expiry_clock import DAY
from attnscope.storage.questions import ROW_BYTES, WRITE_DELAY, QuestionStore
from tests.clock import Clock

Open = Callable[..., QuestionStore]
WHOLE = ROW_BYTES


@pytest.fixture
def open_questions(tmp_path: Path) -> Iterator[Open]:
    opened: list[QuestionStore] = []

    def open_one(
        quota_bytes: int = 1 << 20, expiry_seconds: float = 30 * DAY, share: float = 1.0,
        soon: float = WRITE_DELAY,
    ) -> QuestionStore:  # fmt: skip
        store = QuestionStore(tmp_path / "questions", quota_bytes, expiry_seconds, share, soon=soon)
        opened.append(store)
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)
