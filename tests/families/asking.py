"""Questions about test checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from attnscope.installed.model_registry import ModelRegistry
from attnscope.resources import models_dir
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer


def ask(folder: Path, text: Any, **fields: Any) -> Trace:
    """`folder` may be a file."""
    model = {"source": "installed", "name": folder.stem if folder.is_file() else folder.name}
    return answered(folder, Question.model_validate({"text": text, "model": model, **fields}))


def answered(folder: Path, question: Question) -> Trace:
    return answer(make_plan(question, Limits(), pytest.fail, ModelRegistry(models_dir(), [folder])))
