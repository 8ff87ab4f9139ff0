"""The tree of errors, without HTTP and messages.

    AttnscopeError
    ├── InvalidRequest        a field has an invalid value
    │   ├── EmptyText
    │   ├── ShapeMismatch     arrays do not fit each other
    │   └── NonFinite
    ├── BadWeightsFile        invalid or not supported
    ├── UnknownLayout         tensors are not recognised
    ├── BadMapping            missing tensors or slices
    ├── TooManyTokens
    ├── TooLarge
    ├── Unknown
    │   ├── UnknownTrace, UnknownModel, UnknownRevision, UnknownStage
    ├── ModelChanged          the model differs from the question's
    ├── NoPredictions
    ├── NotCaptured           a capture lacks the stage
    ├── AlreadyThere          the model name is taken
    ├── FetchFailed           unavailable, or not the pinned package
    ├── Busy                  no computing slot, or the store is locked
    └── StorageFull

`app/attnscope/web/http/problems.py` maps classes to statuses.
"""

from __future__ import annotations

from typing import ClassVar


class AttnscopeError(Exception):
    """`values` fill the placeholders of the message `errors.<code>.<reason>`. `at`: the field."""

    code: ClassVar[str] = "invalid_request"

    def __init__(self, reason: str, *, at: str | None = None, **values: object) -> None:
        super().__init__(f"{self.code}.{reason} {values}")
        self.reason = reason
        self.at = at
        self.values = values


class InvalidRequest(AttnscopeError):
    pass


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


class AlreadyThere(AttnscopeError):
    code = "already_there"


class FetchFailed(AttnscopeError):
    code = "fetch_failed"


class UnknownStage(Unknown):
    code = "unknown_stage"


class Busy(AttnscopeError):
    code = "busy"


class StorageFull(AttnscopeError):
    code = "storage_full"
