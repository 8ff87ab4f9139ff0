from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from attnscope.weights.formats import Limits, kind_of
from attnscope.weights.formats.safetensors_file import header_text

LONGEST = 2**20  # bytes of JSON
WIDE = ("F64", "I64", "U64")


def copied_bytes(mapping: bytes, files: Sequence[tuple[str, bytes]], limits: Limits) -> int | None:
    """Upper bound of the bytes that a mapping copies; None if headers do not suffice."""
    try:
        sizes = _sizes(files, limits)
        sources = json.loads(mapping) if len(mapping) <= LONGEST else None
        if sizes is None or not isinstance(sources, dict):
            return None
        return sum(_part(source, sizes) for source in sources.values())
    except (ValueError, LookupError, TypeError, RecursionError, AttributeError):
        return None


def _sizes(
    files: Sequence[tuple[str, bytes]], limits: Limits
) -> dict[str, tuple[list[int], int]] | None:
    """{tensor: (shape, itemsize in memory)}; None for other formats."""
    found: dict[str, tuple[list[int], int]] = {}
    for filename, data in files:
        header = header_text(data, limits) if kind_of(filename, data) == ".safetensors" else None
        if header is None or len(header) > LONGEST:
            return None
        entries: dict[str, Any] = json.loads(header)
        for name in entries.keys() - {"__metadata__"}:
            shape = entries[name]["shape"]
            if not all(type(size) is int and size >= 0 for size in shape):
                return None
            found[name] = (shape, 8 if entries[name]["dtype"] in WIDE else 4)
    return found


def _part(source: Any, sizes: Mapping[str, tuple[list[int], int]]) -> int:
    fields = {"tensor": source} if isinstance(source, str) else source
    shape, itemsize = sizes[fields["tensor"]]
    cuts = fields.get("slice") or [None] * len(shape)
    return itemsize * prod(_length(cut, size) for cut, size in zip(cuts, shape, strict=True))


def _length(cut: Any, size: int) -> int:
    if cut is None:
        return size
    start, stop = cut
    return int(stop - start) if 0 <= start < stop <= size else size
