"""Mapping from native names: {"w_q": "attn.query.weight", …}.

A value may be {"tensor": name, "transpose": true, "slice": [[0, 64], null]}: the tensor is sliced,
then transposed, as torch.nn.Linear stores output × input.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from attnscope.errors import BadMapping, BadWeightsFile
from attnscope.weights.formats import Budget, WeightsFile
from attnscope.weights.formats.limits import printable_name, refuse_duplicates
from attnscope.weights.json_cost import cost_of_json
from attnscope.weights.layouts.canonical import EMBEDDING, is_native

FIELDS = {"tensor", "transpose", "slice"}
LONGEST = 2**20
LINEAR = ".weight"


def apply_mapping(text: bytes | str, file: WeightsFile) -> WeightsFile:
    """Copy tensors, so that those of the file can be freed. Raises BadMapping, BadWeightsFile."""
    parts, dtypes, as_stored = {}, {}, []
    for target, source in _parse(text, file.budget).items():
        if not is_native(target):
            raise BadMapping("unknown_target", at="mapping", target=printable_name(target))
        fields = {"tensor": source} if isinstance(source, str) else source
        tensor = _tensor(target, fields, file)
        transpose = _transpose(target, fields.get("transpose", False))
        part = _sliced(target, fields, file.arrays[tensor])
        parts[target] = part.T if transpose else part
        dtypes[target] = file.dtypes[tensor]
        if "transpose" not in fields and target != EMBEDDING and tensor.endswith(LINEAR):
            as_stored.append(target)
    file.budget.make(sum(part.nbytes for part in parts.values()))
    arrays = {target: np.array(part, order="C") for target, part in parts.items()}
    return replace(file, arrays=arrays, dtypes=dtypes, as_stored=tuple(as_stored))


def _parse(text: bytes | str, budget: Budget) -> dict[str, Any]:
    if len(text) > LONGEST:
        raise BadMapping("too_long", at="mapping", limit=LONGEST)
    if isinstance(text, str):
        text = text.encode(errors="surrogatepass")
    budget.make(cost_of_json(text))
    try:
        mapping = json.loads(
            text.decode(errors="surrogatepass"), object_pairs_hook=refuse_duplicates
        )
    except BadWeightsFile as error:
        raise BadMapping("named_twice", at="mapping", name=error.values["tensor"]) from None
    except (ValueError, RecursionError):
        raise BadMapping("not_json", at="mapping") from None
    if not isinstance(mapping, dict) or not mapping:
        raise BadMapping("not_an_object", at="mapping")
    return mapping


def _tensor(target: str, fields: Any, file: WeightsFile) -> str:
    if not isinstance(fields, dict) or not isinstance(fields.get("tensor"), str):
        raise BadMapping("no_tensor", at=f"mapping.{target}", target=target)
    if unknown := fields.keys() - FIELDS:
        raise BadMapping(
            "unknown_field",
            at=f"mapping.{target}",
            target=target,
            field=printable_name(min(unknown)),
        )
    name: str = fields["tensor"]
    if name not in file.arrays:
        raise BadMapping(
            "missing_tensor", at=f"mapping.{target}", target=target, tensor=printable_name(name)
        )
    return name


def _sliced(target: str, fields: dict[str, Any], array: np.ndarray) -> np.ndarray:
    cuts = fields.get("slice")
    if cuts is None:
        return array
    if not isinstance(cuts, list) or len(cuts) != array.ndim:
        raise BadMapping(
            "slice_axes", at=f"mapping.{target}", target=target, shape=list(array.shape)
        )
    ranges = []
    for axis, (cut, size) in enumerate(zip(cuts, array.shape, strict=True)):
        start, stop = _range(cut, size) or (-1, -1)
        if not 0 <= start < stop <= size:
            raise BadMapping(
                "slice_range", at=f"mapping.{target}", target=target, axis=axis, size=size
            )
        ranges.append(slice(start, stop))
    return array[tuple(ranges)]


def _range(cut: Any, size: int) -> tuple[int, int] | None:
    if cut is None:
        return 0, size
    if isinstance(cut, list) and [type(end) for end in cut] == [int, int]:
        return cut[0], cut[1]
    return None


def _transpose(target: str, transpose: Any) -> bool:
    if not isinstance(transpose, bool):
        raise BadMapping("transpose_no_bool", at=f"mapping.{target}", target=target)
    return transpose
