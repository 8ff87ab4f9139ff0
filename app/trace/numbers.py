"""Lists of numbers from a request, as arrays; what does not fit is said with its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, PlainSerializer, ValidationInfo, WithJsonSchema

from app.errors import InvalidRequest, NonFinite, ShapeMismatch


def to_array(value: Any, at: str, ranks: tuple[int, ...]) -> np.ndarray:
    """Nested lists of numbers → a read-only float64 array of one of the ranks."""
    if not isinstance(value, list):
        raise InvalidRequest("not_a_list", at=at)
    if not value:
        raise InvalidRequest("empty_array", at=at)
    try:
        array = np.array(value)
    except ValueError:
        raise ShapeMismatch("ragged", at=at) from None
    if array.dtype.kind not in "fiu" or any(isinstance(n, bool) for n in _leaves(value)):
        raise InvalidRequest("not_numbers", at=at)
    if array.ndim in ranks and 0 in array.shape:
        raise ShapeMismatch("empty_rows", at=at)
    if array.ndim not in ranks:
        wanted = " / ".join(str(rank) for rank in ranks)
        raise ShapeMismatch("wrong_rank", at=at, rank=array.ndim, wanted=wanted)
    array = array.astype(np.float64) + 0.0  # −0 is 0: a browser writes no other
    if not np.isfinite(array).all():
        raise NonFinite("in_request", at=at)
    array.flags.writeable = False
    return array


def _leaves(value: list[Any]) -> Iterator[Any]:
    for item in value:
        if isinstance(item, list):
            yield from _leaves(item)
        else:
            yield item


def _array_field(ranks: tuple[int, ...], description: str) -> Any:
    def validate(value: Any, info: ValidationInfo) -> np.ndarray:
        if isinstance(value, np.ndarray):
            return value
        return to_array(value, _place(info), ranks)

    schema: dict[str, Any] = {"type": "number"}
    for _ in range(max(ranks)):
        schema = {"type": "array", "items": schema, "minItems": 1}
    if len(ranks) > 1:
        schema = {"anyOf": [schema["items"], schema]}
    return Annotated[
        np.ndarray,
        BeforeValidator(validate),
        PlainSerializer(np.ndarray.tolist),
        WithJsonSchema({**schema, "description": description}),
    ]


def _place(info: ValidationInfo) -> str:
    """`x`, `context_x`, or `model.w_q`: all other matrices live in the model."""
    name = info.field_name or ""
    return name if name in ("x", "context_x") else f"model.{name}"


Vector = _array_field((1,), "[width]")
Matrix = _array_field((2,), "[rows][columns]")
Batch = _array_field((2, 3), "[n][d_model], or [B][n][d_model]")
