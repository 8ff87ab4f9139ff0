"""The tree of errors, without HTTP and messages.

    AttnscopeError
    ├── InvalidRequest        a field has an invalid value
    │   ├── EmptyText         there is no token to compute with
    │   ├── ShapeMismatch     two arrays do not fit each other
    │   └── NonFinite         NaN or infinity where a number is needed
    ├── BadWeightsFile        an upload or model file is invalid or not supported
    ├── UnknownLayout         the file is sound, but its tensors are not recognised
    ├── BadMapping            the mapping names missing tensors or slices
    ├── TooManyTokens         the text is longer than the limit
    ├── TooLarge              the answer would be larger than the limit
    ├── Unknown
    │   ├── UnknownTrace, UnknownModel, UnknownRevision, UnknownStage
    ├── ModelChanged          an installed model differs from that of the question
    ├── NoPredictions         the model predicts no tokens
    ├── NotCaptured           a capture lacks the stage and its operands
    ├── AlreadyThere          a model of this name is on the server
    ├── FetchFailed           a model package is unavailable, or not the pinned one
    ├── Busy                  every computing slot is taken, or the store is locked
    └── StorageFull           the data directory has no room left

`code` and `reason` select the message `errors.<code>.<reason>` of the locale files.
`app/attnscope/web/http/problems.py` maps classes to statuses.
"""

from __future__ import annotations

from typing import ClassVar


class AttnscopeError(Exception):
    """`reason` selects the message, `at` is the field (`model.w_k`), `values` fill the message."""

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
