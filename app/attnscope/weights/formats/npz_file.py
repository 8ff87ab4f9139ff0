""".npz, without pickle, unpacked within the limits."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from contextlib import suppress
from io import BytesIO
from math import prod
from typing import IO

import numpy as np

from attnscope.errors import BadWeightsFile
from attnscope.weights.formats.limits import (
    MIB,
    BadWeights,
    Budget,
    Limits,
    WeightsFile,
    printable_name,
)

# Errors of zipfile and numpy for damaged or malicious bytes.
BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, KeyError,
    RuntimeError, OverflowError, TypeError, MemoryError,
)  # fmt: skip
CENTRAL_ENTRY, DIRECTORY_END, ZIP64_LOCATOR = b"PK\x01\x02", b"PK\x05\x06", b"PK\x06\x07"
END_BYTES, LOCATOR_BYTES = 22, 20
LONGEST_ENTRY = 2048  # bytes
ENTRY = 2048  # bytes of a ZipInfo without strings
WIDEST = 4  # bytes of a character
LONGEST_HEADER = 1024
# Regular expressions, as ast.literal_eval takes a thousand times the header's size.
DESCR_FIELD = re.compile(
    r"""['"]descr['"]\s*:\s*(?:'([^']*)'|"([^"]*)"|([\[(].*?)(?=,\s*['"](?:fortran_order|shape)['"]|$))"""
)
ORDER_FIELD = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)\b""")
SHAPE_FIELD = re.compile(r"""['"]shape['"]\s*:\s*\(((?:\s*\d{1,19}\s*,)*(?:\s*\d{1,19})?\s*)\)""")
SHOWN = 8  # digits
NAMELESS = re.compile(r"[<>|=]?(V\d+|f1)")  # bfloat16 and other types of ml_dtypes
DESCR = re.compile(r"[<>|=]?([biuf])(1|2|4|8)|[<>=]?(U)([1-9]\d{0,6})")


def read_npz(data: bytes, budget: Budget) -> WeightsFile:
    limits = budget.limits
    _check_directory(data, limits)
    with budget.reserve_temporarily(directory_cost(data)):
        try:
            archive = zipfile.ZipFile(BytesIO(data))
        except BROKEN:
            raise BadWeights("zip_broken") from None
        with archive:
            members = archive.infolist()
            names = [_name(member, limits) for member in members]
            limits.check_count(len(members))
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise BadWeights("duplicate_name", tensor=twice)
            _check_ratios(members, limits)
            arrays, dtypes = {}, {}
            for name, member in zip(names, members, strict=True):
                arrays[name], dtypes[name] = _member(archive, member, name, budget)
    return _weights(arrays, dtypes, budget)


def unpacked_size(data: bytes, limits: Limits) -> int:
    """Sum of sizes in the directory, enforced by zipfile; 0 if invalid."""
    with suppress(BadWeightsFile, *BROKEN):
        _check_directory(data, limits)
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return sum(member.file_size for member in archive.infolist())
    return 0


def contents(data: bytes, limits: Limits) -> list[tuple[int, np.dtype | None]]:
    """Unpacked size and readable dtype of each member; empty if invalid."""
    with suppress(BadWeightsFile, *BROKEN):
        _check_directory(data, limits)
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return [(member.file_size, _dtype(archive, member)) for member in archive.infolist()]
    return []


def _check_directory(data: bytes, limits: Limits) -> None:
    """Limit the directory before zipfile turns it into objects."""
    entries, end = data.count(CENTRAL_ENTRY), _directory_end(data)
    limits.check_count(max(1, entries))
    size = int.from_bytes(data[end + 12 : end + 16], "little")
    zip64 = data[max(0, end - LOCATOR_BYTES) : end].startswith(ZIP64_LOCATOR)
    if zip64 or size > LONGEST_ENTRY * entries:
        raise BadWeights("zip_broken")


def _directory_end(data: bytes) -> int:
    end = len(data) - END_BYTES
    if data[end : end + 4] == DIRECTORY_END and data[-2:] == b"\0\0":
        return end
    return max(0, data.rfind(DIRECTORY_END, max(0, end - 0xFFFF)))


def directory_cost(data: bytes) -> int:
    """Upper bound of the bytes of zipfile's objects."""
    end = _directory_end(data)
    size = int.from_bytes(data[end + 12 : end + 16], "little")
    # zipfile reads no more than the stated size.
    return ENTRY * data.count(CENTRAL_ENTRY) + WIDEST * min(size, len(data))


def _dtype(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.dtype | None:
    with suppress(BadWeightsFile, *BROKEN), archive.open(member) as stream:
        return _npy_header(stream, "vocab")[0]
    return None


def _name(member: zipfile.ZipInfo, limits: Limits) -> str:
    limits.check_name(member.filename)
    if member.filename.endswith((".pkl", ".pickle")):
        raise BadWeights("pickle")
    if not member.filename.endswith(".npy") or member.filename == ".npy":
        raise BadWeights("not_an_array", member=member.filename)
    return member.filename.removesuffix(".npy")


def _check_ratios(members: list[zipfile.ZipInfo], limits: Limits) -> None:
    for member in members:
        # Small members may exceed the ratio, as zeros do.
        if member.file_size > max(MIB, limits.max_ratio * member.compress_size):
            raise BadWeights(
                "zip_bomb", member=member.filename, bytes=member.file_size,
                packed=member.compress_size,
            )  # fmt: skip


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, budget: Budget
) -> tuple[np.ndarray, str]:
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadWeights("zip_broken")
    try:
        with archive.open(member) as stream:
            return _array(stream, name, member.file_size, budget)
    except BROKEN:
        raise BadWeights("member_broken", member=member.filename) from None


def read_npy(name: str, data: bytes, budget: Budget) -> WeightsFile:
    budget.limits.check_name(name)
    try:
        array, dtype = _array(BytesIO(data), name, len(data), budget)
    except BROKEN:
        raise BadWeights("npy_broken", tensor=name) from None
    return WeightsFile({name: array}, {name: dtype}, {}, budget=budget)


def _array(stream: IO[bytes], name: str, size: int, budget: Budget) -> tuple[np.ndarray, str]:
    dtype, columns_first, shape = _npy_header(stream, name)
    budget.limits.check_shape(name, shape)
    expected = prod(shape) * dtype.itemsize
    found = size - stream.tell()
    if expected != found:
        raise BadWeights(
            "size_mismatch", tensor=name, shape=list(shape), dtype=dtype.name, bytes=found
        )
    budget.make(expected)
    array = _numbers(stream, dtype, prod(shape))
    array = array.reshape(shape, order="F" if columns_first else "C")
    native = np.dtype(np.float32) if dtype.name == "float16" else dtype.newbyteorder("=")
    if array.dtype != native or not array.flags.c_contiguous:
        budget.make(array.size * native.itemsize)
        array = array.astype(native, order="C")
        budget.held -= expected  # the unconverted copy is freed
    return array, dtype.name


def _numbers(stream: IO[bytes], dtype: np.dtype, count: int) -> np.ndarray:
    array = np.empty(count, dtype)
    room = array.view(np.uint8)
    for start in range(0, room.size, MIB):
        piece = room[start : start + MIB]
        piece[:] = np.frombuffer(stream.read(piece.size), np.uint8)
    stream.read(1)  # zipfile checks the CRC at the end
    return array


def _npy_header(stream: IO[bytes], name: str) -> tuple[np.dtype, bool, tuple[int, ...]]:
    magic = stream.read(8)
    if magic[:6] != b"\x93NUMPY" or magic[6:] not in (b"\1\0", b"\2\0"):
        raise ValueError("no header of version 1 or 2")
    length = int.from_bytes(stream.read(2 if magic[6] == 1 else 4), "little")
    if length > LONGEST_HEADER:
        raise ValueError("the header is too long")
    text = stream.read(length).decode("latin-1")
    fields = [pattern.search(text) for pattern in (DESCR_FIELD, ORDER_FIELD, SHAPE_FIELD)]
    values = [next(filter(None, field.groups()), "") for field in fields if field]
    if len(values) < len(fields):
        raise ValueError("the header does not tell dtype, order and shape")
    descr, columns_first, sizes = values
    if descr.lstrip("<>|=") == "O":
        raise BadWeights("object_array", tensor=name)
    if NAMELESS.fullmatch(descr):
        raise BadWeights("nameless_dtype", tensor=name, dtype=printable_name(descr))
    if not DESCR.fullmatch(descr):
        raise BadWeights("dtype_not_supported", tensor=name, dtype=printable_name(descr))
    shape = tuple(int(size) for size in sizes.split(",") if size.strip())
    dtype = np.dtype(descr)
    if dtype.kind == "U" and name != "vocab":
        raise BadWeights("dtype_not_supported", tensor=name, dtype=dtype.name)
    return dtype, columns_first == "True", shape


def _weights(arrays: dict[str, np.ndarray], dtypes: dict[str, str], budget: Budget) -> WeightsFile:
    metadata, vocab = {}, None
    if "vocab" in arrays and arrays["vocab"].dtype.kind == "U":
        vocab = arrays.pop("vocab")
    if "num_heads" in arrays and arrays["num_heads"].dtype.kind in "iu":
        heads = arrays.pop("num_heads")
        metadata["num_heads"] = str(
            heads.item() if heads.size == 1 else heads.flat[:SHOWN].tolist()
        )
    return WeightsFile(arrays, {name: dtypes[name] for name in arrays}, metadata, vocab, budget)
