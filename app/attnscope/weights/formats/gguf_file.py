from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from struct import Struct
from typing import TypeVar

from attnscope.errors import BadWeightsFile
from attnscope.weights.formats.gguf_metadata import ARRAY, SCALARS, TEXT, Metadata, Value
from attnscope.weights.formats.gguf_number_formats import READ, Kind, kinds, name_of
from attnscope.weights.formats.limits import Limits, printable_name

MAGIC = b"GGUF"
VERSIONS = (2, 3)
ALIGNMENT = "general.alignment"
USUAL_ALIGNMENT = 32
MOST_KEYS = 1024
MOST_TEXTS = 1 << 22  # strings in all values
MOST_AXES = 4
LIMITS = Limits()
U32, U64 = Struct("<I"), Struct("<Q")
LEAST_KEY, LEAST_ENTRY = 8 + 4 + 1, 8 + 4 + 8 + 4 + 8  # bytes in a file
Item = TypeVar("Item")


@dataclass(frozen=True)
class Entry:
    """`shape`: rows first."""

    shape: tuple[int, ...]
    kind: Kind
    begin: int
    end: int


@dataclass(frozen=True)
class Header:
    metadata: Metadata
    tensors: dict[str, Entry]


def read_header(data: memoryview, file: str) -> Header:
    """Raises BadWeightsFile, which names `file`."""
    walk = _Walk(data, file)
    tensors, keys = _counts(walk)
    metadata = Metadata(data, file, dict(_named(walk, keys, _value)))
    entries = list(_named(walk, tensors, _entry))
    alignment = metadata.whole(ALIGNMENT, USUAL_ALIGNMENT)
    if alignment < 1 or alignment & (alignment - 1):
        raise BadWeightsFile("gguf_alignment", at=file, alignment=alignment)
    start = _padded(walk.at, alignment)
    return Header(metadata, _absolute(entries, start, alignment, walk))


class _Walk:
    def __init__(self, data: memoryview, file: str) -> None:
        self.data, self.file = data, file
        self.at = 0
        self.texts = 0

    def skip(self, size: int) -> int:
        """Return the offset before the skipped bytes."""
        begin, self.at = self.at, self.at + size
        if self.at > len(self.data):
            raise self.broken("gguf_truncated", bytes=len(self.data), needed=self.at)
        return begin

    def u32(self) -> int:
        return int(U32.unpack_from(self.data, self.skip(4))[0])

    def u64(self) -> int:
        return int(U64.unpack_from(self.data, self.skip(8))[0])

    def name(self) -> str:
        length = self.u64()
        if length > 4 * LIMITS.max_name_length:  # UTF-8 has up to 4 bytes per character
            raise self.broken("gguf_name", name="…", limit=LIMITS.max_name_length)
        begin = self.skip(length)
        raw = bytes(self.data[begin : self.at])
        try:
            name = raw.decode("utf-8")
            LIMITS.check_name(name)
        except (UnicodeDecodeError, BadWeightsFile):
            readable = printable_name(raw.decode("utf-8", errors="replace"))
            raise self.broken("gguf_name", name=readable, limit=LIMITS.max_name_length) from None
        return name

    def skip_texts(self, count: int) -> None:
        self.texts += count
        if self.texts > MOST_TEXTS:
            raise self.broken("gguf_too_many", count=self.texts, limit=MOST_TEXTS)
        data, at, last, length = self.data, self.at, len(self.data) - 8, U64.unpack_from
        for _ in range(count):
            if at > last:
                at += 8  # beyond the end: `skip` raises
                break
            at += 8 + length(data, at)[0]
        self.skip(at - self.at)

    def broken(self, reason: str, **values: object) -> BadWeightsFile:
        return BadWeightsFile(reason, at=self.file, **values)


def _counts(walk: _Walk) -> tuple[int, int]:
    if bytes(walk.data[:4]) != MAGIC:
        raise walk.broken("gguf_magic")
    walk.skip(4)
    version = walk.u32()
    if version not in VERSIONS:
        swapped = int.from_bytes(version.to_bytes(4, "big"), "little")
        raise walk.broken(
            "gguf_big_endian" if swapped in VERSIONS else "gguf_version", version=version
        )
    tensors, keys = walk.u64(), walk.u64()
    for count, limit in ((tensors, LIMITS.max_tensors), (keys, MOST_KEYS)):
        if count > limit:
            raise walk.broken("gguf_too_many", count=count, limit=limit)
    if tensors == 0:
        raise walk.broken("gguf_no_tensors")
    needed = walk.at + keys * LEAST_KEY + tensors * LEAST_ENTRY
    if needed > len(walk.data):
        raise walk.broken("gguf_truncated", bytes=len(walk.data), needed=needed)
    return tensors, keys


def _named(
    walk: _Walk, count: int, read: Callable[[_Walk, str], Item]
) -> Iterator[tuple[str, Item]]:
    seen = set()
    for _ in range(count):
        name = walk.name()
        if name in seen:
            raise walk.broken("gguf_name_twice", name=name)
        seen.add(name)
        yield name, read(walk, name)


def _value(walk: _Walk, key: str) -> Value:
    type_ = walk.u32()
    item, count = type_, 1
    if type_ == ARRAY:
        item, count = walk.u32(), walk.u64()
        if item == ARRAY:
            raise walk.broken("gguf_nested", key=key)
    begin = walk.at
    if item == TEXT:
        walk.skip_texts(count)
    elif item in SCALARS:
        walk.skip(count * SCALARS[item].itemsize)
    else:
        raise walk.broken("gguf_type", key=key, type=item)
    return Value(type_ == ARRAY, item, count, begin, walk.at)


def _entry(walk: _Walk, name: str) -> Entry:
    axes = walk.u32()
    if not 1 <= axes <= MOST_AXES:
        raise walk.broken("gguf_axes", tensor=name, axes=axes, limit=MOST_AXES)
    shape = tuple(reversed([walk.u64() for _ in range(axes)]))  # files state columns first
    if 0 in shape:
        raise walk.broken("empty_tensor", tensor=name, shape=list(shape))
    number, offset = walk.u32(), walk.u64()
    kind = kinds().get(number)
    if kind is None:
        raise walk.broken("gguf_kind", tensor=name, kind=name_of(number), known=", ".join(READ))
    if shape[-1] % kind.block:
        raise walk.broken(
            "gguf_blocks", tensor=name, width=shape[-1], kind=kind.name, block=kind.block
        )
    return Entry(shape, kind, offset, offset + prod(shape) // kind.block * kind.bytes)


def _absolute(
    entries: list[tuple[str, Entry]], start: int, alignment: int, walk: _Walk
) -> dict[str, Entry]:
    """Make offsets absolute. Raises BadWeightsFile for gaps and overlaps."""
    reached = 0
    placed = {}
    for name, entry in sorted(entries, key=lambda one: one[1].begin):
        if entry.begin != (expected := _padded(reached, alignment)):
            reason = "gguf_overlap" if entry.begin < expected else "gguf_gap"
            raise walk.broken(reason, tensor=name, offset=entry.begin, expected=expected)
        reached = entry.end
        placed[name] = Entry(entry.shape, entry.kind, start + entry.begin, start + entry.end)
    if start + reached > len(walk.data):
        raise walk.broken("gguf_truncated", bytes=len(walk.data), needed=start + reached)
    return placed


def _padded(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment
