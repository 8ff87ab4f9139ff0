""".json: {"w_q": [[…]], …}, with `vocab` (texts) and `num_heads` (a number) beside."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from app.errors import BadWeightsFile
from app.weights.formats.limits import Limits, WeightsFile, unique

TEXTS = ("num_heads", "vocab")


def read_json(data: bytes, limits: Limits) -> WeightsFile:
    """Every list of numbers as float64; `null` is as good as absent. Raises BadWeightsFile."""
    if len(data) > limits.max_json_bytes:
        raise BadWeightsFile(
            "json_too_large", at="weights", bytes=len(data), limit=limits.max_json_bytes
        )
    document = {name: value for name, value in _parse(data).items() if value is not None}
    metadata = {name: json.dumps(document.pop(name)) for name in TEXTS if name in document}
    limits.check_count(len(document))
    arrays = {}
    for name, value in document.items():
        limits.check_name(name)
        arrays[name] = _array(name, value, limits)
    return WeightsFile(arrays, dict.fromkeys(arrays, "float64"), metadata)


def _parse(data: bytes) -> dict[str, Any]:
    """By Python's own reader: it tells names that come twice, and keeps NaN to say where it is."""
    try:
        document = json.loads(data.decode("utf-8-sig"), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise BadWeightsFile(
            "json_broken", at="weights", line=error.lineno, column=error.colno
        ) from None
    except (ValueError, RecursionError):
        raise BadWeightsFile("json_unreadable", at="weights") from None
    if not isinstance(document, dict):
        raise BadWeightsFile("json_no_object", at="weights")
    return document


def _array(name: str, value: Any, limits: Limits) -> np.ndarray:
    if not isinstance(value, list):
        raise BadWeightsFile("not_numbers", at="weights", tensor=name)
    shape = _shape(name, value, limits)
    limits.check_shape(name, shape)
    try:
        return np.array(value, np.float64)
    except OverflowError:
        raise BadWeightsFile("number_too_large", at="weights", tensor=name) from None


def _shape(name: str, value: list[Any], limits: Limits, axes: int = 1) -> tuple[int, ...]:
    """The shape of nested lists. Raises BadWeightsFile where they are ragged or no numbers."""
    kinds = set(map(type, value))
    if kinds <= {int, float}:
        return (len(value),)
    if axes == limits.max_axes and list in kinds:
        raise BadWeightsFile(
            "too_many_axes", at="weights", tensor=name, axes=axes + 1, limit=limits.max_axes
        )
    if kinds != {list}:
        raise BadWeightsFile("not_numbers", at="weights", tensor=name)
    shapes = [_shape(name, row, limits, axes + 1) for row in value]
    for row, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise BadWeightsFile(
                "ragged", at="weights", tensor=name, row=row, found=list(shape),
                expected=list(shapes[0]),
            )  # fmt: skip
    return (len(value), *shapes[0])
