""".safetensors: eight bytes of length, a JSON header, then the tensors without a gap."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from safetensors import SafetensorError, TensorSpec, deserialize, serialize

from app.errors import BadWeightsFile
from app.weights.formats.limits import Limits, WeightsFile, shown, unique

BFLOAT16 = "bfloat16"
DTYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": BFLOAT16,
    "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8",
    "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip
WIDENED = ("float16", BFLOAT16)


def read_safetensors(data: bytes, limits: Limits) -> WeightsFile:
    """Raises BadWeightsFile for every header that does not describe its bytes exactly."""
    header = _header(data, limits)
    tensors = {name: entry for name, entry in header.items() if name != "__metadata__"}
    limits.check_count(len(tensors))
    spans = []
    for name, entry in tensors.items():
        limits.check_name(name)
        spans.append((*_span(name, entry, limits), name))
    _check_spans(sorted(spans), len(data) - 8 - int.from_bytes(data[:8], "little"))
    _check_metadata(header.get("__metadata__", {}))
    try:
        return decode_safetensors(data)
    except SafetensorError:
        raise BadWeightsFile("header_broken", at="weights") from None


def decode_safetensors(data: bytes) -> WeightsFile:
    """The arrays of bytes that were checked before, or that we wrote."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = dict(deserialize(data))  # type: ignore[no-untyped-call]
    arrays, dtypes = {}, {}
    for name in header:  # in the file's order: deserialize has another each time
        tensor = tensors[name]
        dtypes[name] = DTYPES[tensor["dtype"]]
        arrays[name] = _widen(tensor["data"], dtypes[name]).reshape(tensor["shape"])
    return WeightsFile(arrays, dtypes, metadata)


def encode_safetensors(
    arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str], dtype: str | None = None
) -> bytes:
    """The bytes of a file; `dtype` narrows what was widened (float16, bfloat16)."""
    keep = {name: np.ascontiguousarray(_narrow(array, dtype)) for name, array in arrays.items()}
    specs = {
        name: TensorSpec(
            dtype=BFLOAT16 if dtype == BFLOAT16 else array.dtype.name,
            shape=arrays[name].shape,
            data_ptr=array.ctypes.data,
            data_len=array.nbytes,
        )
        for name, array in keep.items()
    }
    return bytes(serialize(specs, dict(metadata)))


def _widen(data: bytes, dtype: str) -> np.ndarray:
    if dtype == BFLOAT16:  # the upper half of a float32
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    array = np.frombuffer(data, dtype)
    return array.astype(np.float32) if dtype in WIDENED else array


def _narrow(array: np.ndarray, dtype: str | None) -> np.ndarray:
    if dtype == BFLOAT16:
        bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
        return (bits >> 16).astype(np.uint16)
    return array if dtype is None else array.astype(dtype)


def _header(data: bytes, limits: Limits) -> dict[str, Any]:
    length = int.from_bytes(data[:8], "little")
    if len(data) >= 8 and length > limits.max_header_bytes:
        raise BadWeightsFile(
            "header_too_long", at="weights", length=length, limit=limits.max_header_bytes
        )
    if len(data) < 8 + length:
        raise BadWeightsFile("truncated", at="weights", bytes=len(data), needed=8 + length)
    text = data[8 : 8 + length]
    # As Python objects a crowded header is ten times as large: it is counted before it is read.
    limits.check_count(max(1, text.count(b"data_offsets")))
    try:
        header = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        raise BadWeightsFile("header_broken", at="weights") from None
    if not isinstance(header, dict):
        raise BadWeightsFile("header_broken", at="weights")
    return header


def _span(name: str, entry: Any, limits: Limits) -> tuple[int, int]:
    """First and last byte of a tensor, after its entry was found sound."""
    match entry:
        case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [begin, end], **rest}:
            numbers = [*shape, begin, end]
        case _:
            raise BadWeightsFile("entry_broken", at="weights", tensor=name)
    if rest or any(type(number) is not int or number < 0 for number in numbers):
        raise BadWeightsFile("entry_broken", at="weights", tensor=name)
    if dtype not in DTYPES:
        raise BadWeightsFile("dtype_not_supported", at="weights", tensor=name, dtype=shown(dtype))
    limits.check_shape(name, tuple(shape))
    itemsize = 2 if dtype == "BF16" else np.dtype(DTYPES[dtype]).itemsize
    if prod(shape) * itemsize != end - begin:
        raise BadWeightsFile(
            "size_mismatch", at="weights", tensor=name, shape=shape, dtype=DTYPES[dtype],
            bytes=end - begin,
        )  # fmt: skip
    return begin, end


def _check_spans(spans: list[tuple[int, int, str]], room: int) -> None:
    reached = 0
    for begin, end, name in spans:
        if begin < reached:
            raise BadWeightsFile("overlapping_tensors", at="weights", tensor=name)
        if begin > reached:
            raise BadWeightsFile("gap_between_tensors", at="weights", tensor=name)
        reached = end
    if reached > room:
        raise BadWeightsFile("tensors_truncated", at="weights", bytes=room, needed=reached)
    if reached < room:
        raise BadWeightsFile("bytes_left_over", at="weights", bytes=room - reached)


def _check_metadata(metadata: Any) -> None:
    if not isinstance(metadata, dict) or any(not isinstance(v, str) for v in metadata.values()):
        raise BadWeightsFile("metadata_broken", at="weights")
