"""Which questions are still there."""

from __future__ import annotations

from attnscope.storage.questions import QuestionStore


def kept(questions: QuestionStore, names: str) -> str:
    """Those of some one-letter questions that are still there."""
    return "".join(name for name in names if questions.get(name) is not None)
