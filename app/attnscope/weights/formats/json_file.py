""".json: {"w_q": [[…]], …}, optionally with `vocab` (strings) and `num_heads`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from attnscope.weights.formats.limits import (
    BadWeights,
    Budget,
    Limits,
    WeightsFile,
    refuse_duplicates,
)
from attnscope.weights.formats.vocab import read_vocab
from attnscope.weights.json_cost import cost_of_json
from attnscope.weights.nested import NotNumbers, filled

SHOWN = 40  # characters of num_heads


def read_json(data: bytes, budget: Budget) -> WeightsFile:
    """Lists become float64 arrays; null is ignored. Raises BadWeightsFile."""
    limits = budget.limits
    if len(data) > limits.max_json_bytes:
        raise BadWeights("json_too_large", bytes=len(data), limit=limits.max_json_bytes)
    with budget.reserve_temporarily(cost_of_json(data)):
        document = {name: value for name, value in _parse(data).items() if value is not None}
        vocab = document.pop("vocab", None)
        vocab = None if vocab is None else read_vocab(vocab, budget)
        metadata = {}
        if "num_heads" in document:
            metadata["num_heads"] = _shortened(document.pop("num_heads"))
        limits.check_count(len(document))
        arrays = {}
        for name in list(document):
            limits.check_name(name)
            arrays[name] = _array(name, document.pop(name), limits)
    budget.make(sum(array.nbytes for array in arrays.values()))
    return WeightsFile(arrays, dict.fromkeys(arrays, "float64"), metadata, vocab, budget)


def _parse(data: bytes) -> dict[str, Any]:
    """NaN passes, as `check_finite` locates it."""
    try:
        document = json.loads(data.decode("utf-8-sig"), object_pairs_hook=refuse_duplicates)
    except json.JSONDecodeError as error:
        raise BadWeights("json_broken", line=error.lineno, column=error.colno) from None
    except (ValueError, RecursionError):
        raise BadWeights("json_unreadable") from None
    if not isinstance(document, dict):
        raise BadWeights("json_no_object")
    return document


def _shortened(value: Any) -> str:
    if isinstance(value, list | dict):
        return "[…]" if isinstance(value, list) else "{…}"
    return json.dumps(value[:SHOWN] if isinstance(value, str) else value)


def _array(name: str, value: Any, limits: Limits) -> np.ndarray:
    if not isinstance(value, list):
        raise BadWeights("not_numbers", tensor=name)
    shape = _shape(name, value, limits)
    limits.check_shape(name, shape)
    try:
        return filled(value, shape)
    except NotNumbers:
        raise BadWeights("number_too_large", tensor=name) from None


def _shape(name: str, value: list[Any], limits: Limits, axes: int = 1) -> tuple[int, ...]:
    kinds = set(map(type, value))
    if kinds <= {int, float}:
        return (len(value),)
    if axes == limits.max_axes and list in kinds:
        raise BadWeights("too_many_axes", tensor=name, axes=axes + 1, limit=limits.max_axes)
    if kinds != {list}:
        raise BadWeights("not_numbers", tensor=name)
    first = _shape(name, value[0], limits, axes + 1)
    for row, item in enumerate(value):
        if (shape := _shape(name, item, limits, axes + 1)) != first:
            raise BadWeights(
                "ragged", tensor=name, row=row, found=list(shape), expected=list(first)
            )
    return (len(value), *first)
