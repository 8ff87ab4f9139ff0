"""Questions that remain."""

from __future__ import annotations

from attnscope.storage.questions import QuestionStore


def kept(questions: QuestionStore, names: str) -> str:
    """`names`: one letter each."""
    return "".join(name for name in names if questions.get(name) is not None)
