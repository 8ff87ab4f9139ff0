from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import orjson

from attnscope.errors import TooLarge
from attnscope.web.http.negotiation import JSON
from attnscope.web.http.replies import Content, Stream, join_small_parts

JSON_BYTES = 26  # of a number and its comma, at most
DTYPES = {"float64": "F64", "float32": "F32"}


def to_json(data: Any) -> bytes:
    """NaN and ±∞ become null."""
    return orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY)


def check_numbers(reason: str, numbers: int, limit: int) -> None:
    if numbers > limit:
        raise TooLarge(reason, estimate=f"{numbers:,}", limit=f"{limit:,}")


def encode_values(media: str, fields: Mapping[str, Any], name: str, values: np.ndarray) -> Content:
    if media == JSON:
        return to_json({**fields, "values": values})
    return safetensors({name: values}, fields)


def safetensors(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, Any]) -> Stream:
    """Write safetensors without the copies that the library's writer makes."""
    header: dict[str, Any] = {"__metadata__": {"attnscope": to_json(metadata).decode()}}
    end = 0
    for name, array in arrays.items():
        begin, end = end, end + array.nbytes
        entry = {"dtype": DTYPES[array.dtype.name], "shape": array.shape}
        header[name] = {**entry, "data_offsets": [begin, end]}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    first = len(text).to_bytes(8, "little") + text

    def parts() -> Iterator[bytes]:
        yield first
        for array in arrays.values():
            # memoryview cannot cast empty arrays
            yield np.ascontiguousarray(array).reshape(-1).view(np.uint8).data  # type: ignore[misc]

    return Stream(join_small_parts(parts()), len(first) + end)
