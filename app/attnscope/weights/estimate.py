from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from attnscope.weights.formats import Limits, kind_of
from attnscope.weights.formats.npz_file import contents, directory_cost
from attnscope.weights.formats.safetensors_file import header_text
from attnscope.weights.formats.vocab import PER_TEXT
from attnscope.weights.json_cost import cost_of_json
from attnscope.weights.layouts.checkpoints import CHECKPOINTS

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
    """{tensor: (shape, itemsize in memory)}; None unless all files are valid safetensors."""
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


LEAST = 2**20
WIDENED = 2  # float16 → float32, float32 → float64
LONE = 3  # for a lone .npy file: read, then converted
MARKS = (*(next(iter(one.names)).encode() for one in CHECKPOINTS), b"\\u")  # or an escape
UNKNOWN = 6  # for an unknown dtype: unpacked, float32, float64


@dataclass(frozen=True)
class _Cost:
    """`narrow` bytes double if any file is `wide` (float64)."""

    numbers: int = 0
    narrow: int = 0
    wide: bool = False
    rest: int = 0

    def __add__(self, other: _Cost) -> _Cost:
        return _Cost(
            self.numbers + other.numbers,
            self.narrow + other.narrow,
            self.wide or other.wide,
            self.rest + other.rest,
        )


def estimate(
    files: Sequence[tuple[str, bytes]],
    *,
    mapping: bytes | str | None = None,
    limits: Limits | None = None,
) -> int:
    """Upper bound of the bytes that `read_upload` allocates. Never raises."""
    limits = limits or Limits()
    cost = sum((_file_cost(filename, data, limits) for filename, data in files), _Cost())
    numbers, narrow, rest = cost.numbers, cost.narrow if cost.wide else 0, cost.rest
    if mapping is not None:
        text = mapping if isinstance(mapping, bytes) else mapping.encode(errors="surrogatepass")
        copied = copied_bytes(text, files, limits)
        if copied is None:
            copies = text.count(b":")  # at worst, each name copies all tensors
            numbers, narrow = numbers * (1 + copies), narrow * copies
        else:
            numbers, narrow = numbers + copied, copied if cost.wide else 0
        rest += cost_of_json(text)
    elif any(_names_checkpoint(filename, data, limits) for filename, data in files):
        numbers, narrow = 2 * numbers, 2 * narrow
    return LEAST + min(limits.memory, numbers + WIDENED * narrow + rest)


def _names_checkpoint(filename: str, data: bytes, limits: Limits) -> bool:
    """Whether a layout of `layouts/checkpoints.py` may copy the tensors."""
    has_header = kind_of(filename, data) == ".safetensors"
    text = (header_text(data, limits) or b"") if has_header else data
    return any(mark in text for mark in MARKS)


def _file_cost(filename: str, data: bytes, limits: Limits) -> _Cost:
    match kind_of(filename, data):
        case ".safetensors":
            return _safetensors_cost(data, limits)
        case ".npz":
            return _npz_cost(data, limits)
        case ".npy":
            return _Cost(numbers=LONE * len(data))
        case ".json":
            texts = data.count(b'"') // 2
            return _Cost(wide=True, rest=cost_of_json(data) + PER_TEXT * texts)
    return _Cost()


def _safetensors_cost(data: bytes, limits: Limits) -> _Cost:
    header = header_text(data, limits)
    if header is None:
        return _Cost()
    half = b'F16"' in header
    numbers = (WIDENED if half else 1) * len(data)
    narrow = numbers if half or b'"F32"' in header else 0
    texts = header.count(b'"') // 2 if b'"vocab"' in header else 0
    # `vocab` is JSON within JSON.
    return _Cost(numbers, narrow, b'"F64"' in header, 2 * cost_of_json(header) + PER_TEXT * texts)


def _npz_cost(data: bytes, limits: Limits) -> _Cost:
    cost = _Cost(rest=directory_cost(data))
    for size, dtype in contents(data, limits):
        if dtype is None:
            cost += _Cost(rest=UNKNOWN * size)
        elif dtype.kind == "U":
            cost += _Cost(rest=WIDENED * size + PER_TEXT * size // max(1, dtype.itemsize))
        else:
            half = dtype.itemsize == 2
            # plus the unpacked member
            numbers = (WIDENED + 1 if half else WIDENED) * size
            wide = dtype.name == "float64"
            cost += _Cost(numbers, 0 if wide else numbers, wide)
    return cost
