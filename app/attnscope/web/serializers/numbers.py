"""Numbers as bytes: JSON with null for what is not finite, or arrays as they lie in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import orjson

from attnscope.errors import TooLarge
from attnscope.web.http.replies import Stream, gathered

JSON_BYTES = 26  # of a number with its comma, at most
DTYPES = {"float64": "F64", "float32": "F32"}


def to_json(data: Any) -> bytes:
    """numpy arrays as nested lists; NaN and infinities, and so masked cells, as null."""
    return orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY)


def check_numbers(reason: str, numbers: int, limit: int) -> None:
    """Raises TooLarge, before anything is computed, where a reply would hold too many numbers."""
    if numbers > limit:
        raise TooLarge(reason, estimate=f"{numbers:,}", limit=f"{limit:,}")


def safetensors(arrays: Mapping[str, np.ndarray], told: Mapping[str, Any]) -> Stream:
    """A safetensors file whose tensors go out of the memory they are in: the library's writer
    would copy all of them first. Eight bytes of length, the header padded to eight, the numbers."""
    header: dict[str, Any] = {"__metadata__": {"attnscope": to_json(told).decode()}}
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
            # memoryview casts no array of none of these bytes, and sends as bytes do
            yield np.ascontiguousarray(array).reshape(-1).view(np.uint8).data  # type: ignore[misc]

    return Stream(gathered(parts()), len(first) + end)
