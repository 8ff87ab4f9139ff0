from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, PlainSerializer, ValidationInfo, WithJsonSchema

from attnscope.errors import InvalidRequest, NonFinite, ShapeMismatch
from attnscope.weights.nested import NotNumbers, Ragged, check_rows, filled, shape_along_first

MASK_RANKS = (2, 3, 4)


def nested_schema(leaf: dict[str, Any], depth: int, **bounds: int) -> dict[str, Any]:
    """JSON Schema of lists in lists."""
    for _ in range(depth):
        leaf = {"type": "array", "items": leaf, **bounds}
    return leaf


def to_array(value: Any, at: str, ranks: tuple[int, ...]) -> np.ndarray:
    """Convert nested lists to a read-only float64 array."""
    if not isinstance(value, list):
        raise InvalidRequest("not_a_list", at=at)
    if not value:
        raise InvalidRequest("empty_array", at=at)
    shape = shape_along_first(value)
    try:
        check_rows(value, shape[: max(ranks) + 1])
        array = filled(value, shape) if len(shape) <= max(ranks) else None
    except Ragged:
        raise ShapeMismatch("ragged", at=at) from None
    except NotNumbers:
        raise InvalidRequest("not_numbers", at=at) from None
    if array is None or len(shape) not in ranks:
        wanted = " / ".join(str(rank) for rank in ranks)
        raise ShapeMismatch("wrong_rank", at=at, rank=len(shape), wanted=wanted)
    if 0 in shape:
        raise ShapeMismatch("empty_rows", at=at)
    if not np.isfinite(array).all():
        raise NonFinite("in_request", at=at)
    array += 0.0  # −0 becomes 0, as in JSON.stringify
    array.flags.writeable = False
    return array


def _array_field(ranks: tuple[int, ...], description: str) -> Any:
    def validate(value: Any, info: ValidationInfo) -> np.ndarray:
        if isinstance(value, np.ndarray):
            return value
        return to_array(value, _place(info), ranks)

    schema = nested_schema({"type": "number"}, max(ranks), minItems=1)
    if len(ranks) > 1:
        schema = {"anyOf": [schema["items"], schema]}
    return Annotated[
        np.ndarray,
        BeforeValidator(validate),
        PlainSerializer(np.ndarray.tolist),
        WithJsonSchema({**schema, "description": description}),
    ]


def _place(info: ValidationInfo) -> str:
    name = info.field_name or ""
    return name if name in ("x", "context_x") else f"model.{name}"


def _read_mask(value: Any, info: ValidationInfo) -> np.ndarray:
    if isinstance(value, np.ndarray):
        return value
    at = info.field_name or ""
    array = to_array(_as_numbers(value, MASK_RANKS[-1]), at, MASK_RANKS)
    mask: np.ndarray = array != 0
    if (array != mask).any():
        raise InvalidRequest("not_0_or_1", at=at)
    mask.flags.writeable = False
    return mask


def _as_numbers(value: Any, depth: int) -> Any:
    if isinstance(value, list) and depth > 0:
        return [_as_numbers(one, depth - 1) for one in value]
    return int(value) if isinstance(value, bool) else value


Vector = _array_field((1,), "[width]")
Matrix = _array_field((2,), "[rows][columns]")
Batch = _array_field((2, 3), "[n][d_model], or [B][n][d_model]")
MASK_CELL = {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 1}, {"type": "boolean"}]}
MaskArray = Annotated[
    np.ndarray,
    BeforeValidator(_read_mask),
    PlainSerializer(lambda mask: mask.astype(int).tolist()),
    WithJsonSchema({"anyOf": [nested_schema(MASK_CELL, rank, minItems=1) for rank in MASK_RANKS]}),
]
