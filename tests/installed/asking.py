"""Questions to shipped models."""

from __future__ import annotations

from typing import Any

from attnscope.installed.model_registry import shipped
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer

ECHO = {"source": "installed", "name": "echo"}
TEXT = "Winston Churchill met Harry Truman. Winston"


def no_upload(model_id: str) -> Any:
    raise LookupError(model_id)


def echo(text: str | list[str] = TEXT, **fields: Any) -> Trace:
    question = Question.model_validate({"text": text, "model": ECHO, **fields})
    return answer(make_plan(question, Limits(), no_upload, shipped()))
