from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import orjson
from numpy.typing import NDArray
from safetensors.numpy import save

from attnscope.client.problem import Problem, invalid

Array: TypeAlias = NDArray[np.floating[Any]]
DTYPES = {"F64": "<f8", "F32": "<f4"}
NO_WEIGHTS = (
    "If a model returned None for its attentions, its kernel (SDPA, flash) keeps no weights: load "
    'it with attn_implementation="eager", or call attnscope.capture(model, tokenizer, text).'
)
LENGTH = 8  # bytes before the header, which hold its length


def read_safetensors(content: bytes) -> tuple[dict[str, Array], dict[str, Any]]:
    """Read-only views by name, and the metadata. The safetensors library would copy."""
    begin = LENGTH + int.from_bytes(content[:LENGTH], "little")
    header = orjson.loads(content[LENGTH:begin])
    rest = orjson.loads(header.pop("__metadata__")["attnscope"])
    arrays = {}
    for name, entry in header.items():
        dtype = np.dtype(DTYPES[entry["dtype"]])
        first, last = entry["data_offsets"]
        count = (last - first) // dtype.itemsize
        arrays[name] = np.frombuffer(content, dtype, count, begin + first).reshape(entry["shape"])
    return arrays, rest


def plain_json(value: Any) -> bytes:
    """Encode as JSON; arrays, tensors and tuples become lists. Raises Problem."""
    try:
        sent = orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY, default=_to_list)
    except TypeError as error:
        raise invalid(f"The question holds something that JSON cannot: {error}.") from None
    if b"null" in sent and not _is_finite(value):
        # orjson writes NaN as null, which some fields accept.
        return json.dumps(value, default=_to_list).encode()
    return sent


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    return _is_finite(_to_list(value)) if hasattr(value, "tolist") else True


def _to_list(value: Any) -> Any:
    # orjson calls this for tensors, series and non-contiguous arrays.
    for method in ("tolist", "to_list"):
        if hasattr(value, method):
            return getattr(value, method)()
    raise TypeError(f"{type(value).__name__} {str(value)[:40]}")


def check_size(arrays: Mapping[str, Any], most: int) -> None:
    """Raise Problem if the arrays have more than `most` bytes."""
    size = sum(map(_bytes_of, arrays.values()))
    if size > most:
        raise Problem(
            "too_large",
            f"The arrays have {size >> 20:,} MB, and {most >> 20:,} MB can be sent: choose fewer "
            "layers or heads, or a part of the tokens.",
        )


def _bytes_of(given: Any) -> int:
    if isinstance(given, list | tuple):
        is_row = bool(given) and isinstance(given[0], int | float)
        return 8 * len(given) if is_row else sum(map(_bytes_of, given))
    try:
        return int(getattr(given, "nbytes", 0))
    except RuntimeError:  # sparse tensors have no nbytes; _numeric_array refuses them
        return 0


def pack(arrays: Mapping[str, Any]) -> bytes:
    """Encode as a safetensors file. A list of arrays holds layers, a nested list the steps of
    `generate()`. Raises Problem."""
    named: dict[str, NDArray[Any]] = {}
    for name, given in arrays.items():
        if not _is_list_of_arrays(given):
            named[name] = _numeric_array(name, given)
            continue
        for i, one in enumerate(given):
            if _is_list_of_arrays(one):
                steps = {f"{name}.{i}.{j}": layer for j, layer in enumerate(one)}
            else:
                steps = {f"layers.{i}.{name}": one}
            named |= {key: _numeric_array(key, layer) for key, layer in steps.items()}
    if not named:
        raise invalid(f"A capture needs at least one array, such as weights=…. {NO_WEIGHTS}")
    return save(named)


def _is_list_of_arrays(given: Any) -> bool:
    if not isinstance(given, list | tuple) or not given:
        return False
    first = given[0]
    return getattr(first, "ndim", 0) > 1 or (
        isinstance(first, tuple | list) and _is_list_of_arrays(first)
    )


def _of_torch(tensor: Any) -> Any:
    """numpy has no bfloat16 and no 8-bit floats."""
    tensor = tensor.detach().cpu()
    absent = str(tensor.dtype).startswith(("torch.bfloat16", "torch.float8"))
    return tensor.float() if absent else tensor


def _numeric_array(name: str, given: Any) -> NDArray[Any]:
    if np.ma.isMaskedArray(given) and np.ma.is_masked(given):
        raise invalid(f"{name} is a masked array: give weights of 0 in closed cells.", name)
    try:
        array = np.ascontiguousarray(_of_torch(given) if hasattr(given, "detach") else given)
    except (TypeError, ValueError, RuntimeError) as error:  # sparse and meta tensors
        raise invalid(f"{name} is no array: {str(error).rstrip('.')}.", name) from None
    if array.dtype == object and any(one is None for one in array.flat):
        raise invalid(f"{name} has None in the place of an array. {NO_WEIGHTS}", name)
    if array.dtype.isbuiltin == 2:  # a registered dtype, such as bfloat16 of ml_dtypes (JAX)
        array = array.astype(np.float32)
    if array.dtype.kind == "V" and not array.dtype.names:
        detail = f"{name} holds {array.dtype.name}, raw bytes to numpy: give it as float32."
        raise invalid(detail, name)
    if array.dtype.kind not in "fiub":
        raise invalid(f"{name} holds {array.dtype}: it must hold numbers.", name)
    is_float = array.dtype.kind == "f" and array.dtype.itemsize <= 8
    return array.astype(array.dtype.newbyteorder("<") if is_float else "<f8", copy=False)
