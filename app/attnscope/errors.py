"""Errors with keys of messages. `web/http/problems.py` maps errors to HTTP statuses."""

from __future__ import annotations

import linecache
import traceback
from pathlib import Path
from types import CodeType
from typing import ClassVar, cast

OURS, BETWEEN = "attnscope", ("IPython", "ipykernel", "traitlets")


class ShortTraceback:
    """IPython prints such an error with the lines that called this package, without the package's
    own; `%debug` has all frames."""

    def _render_traceback_(self) -> list[str]:
        error = cast(Exception, self)
        lines = []
        for frame, line in traceback.walk_tb(error.__traceback__):
            package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
            if package == OURS:
                break
            if package not in BETWEEN:
                lines.append(_describe_line(frame.f_code, line))
        return [*lines, f"{type(self).__name__}: {error}", *getattr(error, "__notes__", ())]


def _describe_line(code: CodeType, line: int) -> str:
    """File, line, function and text of a line; a cell has no file."""
    file = Path(code.co_filename)
    named = "" if code.co_name == "<module>" else code.co_name
    where = ", ".join(filter(None, [file.name if file.is_file() else "", f"line {line}", named]))
    text = linecache.getline(code.co_filename, line).strip()
    return f"{where}: {text}" if text else where


class AttnscopeError(Exception):
    """`values` fill the placeholders of the message `errors.<code>.<reason>`. `at`: the invalid
    field."""

    code: ClassVar[str] = "invalid_request"

    def __init__(self, reason: str, *, at: str | None = None, **values: object) -> None:
        super().__init__(f"{self.code}.{reason} {values}")
        self.reason = reason
        self.at = at
        self.values = values


class InvalidRequest(AttnscopeError):
    """A field has an invalid value."""


class EmptyText(InvalidRequest):
    code = "empty_text"


class ShapeMismatch(InvalidRequest):
    code = "shape_mismatch"


class NonFinite(InvalidRequest):
    code = "non_finite"


class BadWeightsFile(AttnscopeError):
    code = "bad_weights_file"


class UnknownLayout(AttnscopeError):
    code = "unknown_layout"


class BadMapping(AttnscopeError):
    code = "bad_mapping"


class TooManyTokens(AttnscopeError):
    code = "too_many_tokens"


class TooLarge(AttnscopeError):
    code = "too_large"


class Unknown(AttnscopeError):
    code = "not_found"


class UnknownTrace(Unknown):
    code = "unknown_trace"


class UnknownModel(Unknown):
    code = "unknown_model"


class UnknownRevision(Unknown):
    code = "unknown_revision"


class ModelChanged(AttnscopeError):
    code = "model_changed"


class NoPredictions(AttnscopeError):
    code = "no_predictions"


class NotCaptured(AttnscopeError):
    code = "not_captured"


class NameTaken(AttnscopeError):
    code = "already_there"


class FetchFailed(AttnscopeError):
    """A package cannot be downloaded, or is not the pinned one."""

    code = "fetch_failed"


class UnknownStage(Unknown):
    code = "unknown_stage"


class Busy(AttnscopeError):
    """No computing slot is free, or the store is locked."""

    code = "busy"


class StorageFull(AttnscopeError):
    code = "storage_full"
