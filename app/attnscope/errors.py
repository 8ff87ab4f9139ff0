"""Errors with keys of messages. `web/http/problems.py` maps errors to HTTP statuses."""

from __future__ import annotations

from typing import ClassVar


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
