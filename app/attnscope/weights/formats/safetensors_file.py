""".safetensors: eight bytes of length, a JSON header, tensors without gaps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from attnscope.errors import BadWeightsFile
from attnscope.weights.formats.limits import (
    BadWeights,
    Budget,
    Limits,
    WeightsFile,
    printable_name,
    refuse_duplicates,
)
from attnscope.weights.json_cost import cost_of_json

BFLOAT16 = "bfloat16"
DTYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": BFLOAT16,
    "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8",
    "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip
WIDENED = ("F16", "BF16")
READ = ("num_heads", "vocab")
WIDEST = 4  # bytes of a character


def read_safetensors(data: bytes, budget: Budget) -> WeightsFile:
    text = _header_text(data, budget.limits)
    with budget.reserve_temporarily(cost_of_json(text)):
        header = _header(text)
        tensors = _checked(header, len(data) - 8 - len(text), budget.limits)
        metadata = _metadata(header.get("__metadata__", {}))
        for entry in tensors.values():
            begin, end = entry["data_offsets"]
            budget.make((end - begin) * (2 if entry["dtype"] in WIDENED else 1))
        arrays, dtypes = _tensors(memoryview(data)[8 + len(text) :], tensors)
    vocab = metadata.pop("vocab", None)
    budget.make(WIDEST * (len(vocab or "") + len(metadata.get("num_heads", ""))))
    return WeightsFile(arrays, dtypes, metadata, vocab, budget)


def header_of(data: memoryview, limits: Limits) -> tuple[int, dict[str, Any]]:
    """Offset of the tensors, and entries relative to it. Raises BadWeightsFile."""
    text = _header_text(data, limits)
    start = 8 + len(text)
    return start, _checked(_header(text), len(data) - start, limits)


def _checked(header: dict[str, Any], room: int, limits: Limits) -> dict[str, Any]:
    tensors = {name: entry for name, entry in header.items() if name != "__metadata__"}
    limits.check_count(len(tensors))
    spans = []
    for name, entry in tensors.items():
        limits.check_name(name)
        spans.append((*_span(name, entry, limits), name))
    _check_spans(sorted(spans), room)
    return tensors


def decode_safetensors(data: bytes) -> WeightsFile:
    """Decode trusted bytes."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    return WeightsFile(*_tensors(memoryview(data)[8 + length :], header), metadata)


def _tensors(
    room: memoryview, entries: Mapping[str, Any]
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return copies, since views would keep large files in memory."""
    arrays, dtypes = {}, {}
    for name, entry in entries.items():
        begin, end = entry["data_offsets"]
        dtypes[name] = DTYPES[entry["dtype"]]
        arrays[name] = widened(room[begin:end], dtypes[name]).reshape(entry["shape"])
    return arrays, dtypes


def widened(data: memoryview, dtype: str) -> np.ndarray:
    if dtype == BFLOAT16:  # the upper half of a float32
        bits = np.frombuffer(data, np.uint16)
        return np.left_shift(bits, 16, out=np.empty(bits.size, np.uint32), dtype=np.uint32).view(
            np.float32
        )
    return np.frombuffer(data, dtype).astype(np.float32 if dtype == "float16" else dtype)


def header_text(data: bytes, limits: Limits) -> bytes | None:
    try:
        return _header_text(data, limits)
    except BadWeightsFile:
        return None


def _header_text(data: bytes | memoryview, limits: Limits) -> bytes:
    length = int.from_bytes(data[:8], "little")
    if len(data) >= 8 and length > limits.max_header_bytes:
        raise BadWeights("header_too_long", length=length, limit=limits.max_header_bytes)
    if len(data) < 8 + length:
        raise BadWeights("truncated", bytes=len(data), needed=8 + length)
    text = bytes(data[8 : 8 + length])
    # Checked before parsing, as Python objects take ten times the header's size.
    limits.check_count(max(1, text.count(b"data_offsets")))
    return text


def _header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text, object_pairs_hook=refuse_duplicates)
    except (ValueError, RecursionError):
        raise BadWeights("header_broken") from None
    if not isinstance(header, dict):
        raise BadWeights("header_broken")
    return header


def _span(name: str, entry: Any, limits: Limits) -> tuple[int, int]:
    match entry:
        case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [begin, end], **rest}:
            numbers = [*shape, begin, end]
        case _:
            raise BadWeights("entry_broken", tensor=name)
    if rest or any(type(number) is not int or number < 0 for number in numbers):
        raise BadWeights("entry_broken", tensor=name)
    if dtype not in DTYPES:
        raise BadWeights("dtype_not_supported", tensor=name, dtype=printable_name(dtype))
    limits.check_shape(name, tuple(shape))
    itemsize = 2 if dtype == "BF16" else np.dtype(DTYPES[dtype]).itemsize
    if prod(shape) * itemsize != end - begin:
        raise BadWeights(
            "size_mismatch", tensor=name, shape=shape, dtype=DTYPES[dtype], bytes=end - begin
        )
    return begin, end


def _check_spans(spans: list[tuple[int, int, str]], room: int) -> None:
    reached = 0
    for begin, end, name in spans:
        if begin < reached:
            raise BadWeights("overlapping_tensors", tensor=name)
        if begin > reached:
            raise BadWeights("gap_between_tensors", tensor=name)
        reached = end
    if reached > room:
        raise BadWeights("tensors_truncated", bytes=room, needed=reached)
    if reached < room:
        raise BadWeights("bytes_left_over", bytes=room - reached)


def _metadata(metadata: Any) -> dict[str, str]:
    if not isinstance(metadata, dict) or any(not isinstance(v, str) for v in metadata.values()):
        raise BadWeights("metadata_broken")
    return {name: metadata[name] for name in READ if name in metadata}
