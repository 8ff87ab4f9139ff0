""".npz: a zip archive of .npy members. Read by hand, so that nothing is unpickled or unpacked
before its size is known."""

from __future__ import annotations

import ast
import json
import re
import struct
import zipfile
import zlib
from io import BytesIO
from math import prod
from typing import IO

import numpy as np

from app.errors import BadWeightsFile
from app.weights.formats.limits import MIB, Limits, WeightsFile, shown

# What zipfile, zlib and ast raise on bytes that are broken, by accident or on purpose.
BROKEN = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, KeyError,
    RuntimeError, OverflowError, SyntaxError, TypeError, MemoryError,
)  # fmt: skip
CENTRAL_ENTRY = b"PK\x01\x02"
LONGEST_HEADER = 10_000
DESCR = re.compile(r"[<>|=]?([biuf])(1|2|4|8)|[<>=]?(U)([1-9]\d{0,6})")


def read_npz(data: bytes, limits: Limits) -> WeightsFile:
    """Raises BadWeightsFile for archives that are broken, too large, or hold more than arrays."""
    # Python builds an object for every entry of the directory: count them before it does.
    limits.check_count(max(1, data.count(CENTRAL_ENTRY)))
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except BROKEN:
        raise BadWeightsFile("zip_broken", at="weights") from None
    with archive:
        members = archive.infolist()
        names = [_name(member, limits) for member in members]
        limits.check_count(len(members))
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise BadWeightsFile("duplicate_name", at="weights", tensor=twice)
        _check_sizes(members, limits)
        arrays = {
            name: _member(archive, member, name, limits)
            for name, member in zip(names, members, strict=True)
        }
    return _weights(arrays)


def _name(member: zipfile.ZipInfo, limits: Limits) -> str:
    limits.check_name(member.filename)
    if member.filename.endswith((".pkl", ".pickle")):
        raise BadWeightsFile("pickle", at="weights")
    if not member.filename.endswith(".npy") or member.filename == ".npy":
        raise BadWeightsFile("not_an_array", at="weights", member=member.filename)
    return member.filename.removesuffix(".npy")


def _check_sizes(members: list[zipfile.ZipInfo], limits: Limits) -> None:
    total = sum(member.file_size for member in members)
    if total > limits.max_bytes:
        raise BadWeightsFile("unpacks_too_large", at="weights", bytes=total, limit=limits.max_bytes)
    for member in members:
        # A matrix of zeros packs well, too: only large members are suspected.
        if member.file_size > max(MIB, limits.max_ratio * member.compress_size):
            raise BadWeightsFile(
                "zip_bomb", at="weights", member=member.filename, bytes=member.file_size,
                packed=member.compress_size,
            )  # fmt: skip


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, limits: Limits
) -> np.ndarray:
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadWeightsFile("zip_broken", at="weights")
    try:
        with archive.open(member) as stream:
            dtype, order, shape = _npy_header(stream, name)
            limits.check_shape(name, shape)
            expected = prod(shape) * dtype.itemsize
            found = member.file_size - stream.tell()
            if expected != found:
                raise BadWeightsFile(
                    "size_mismatch", at="weights", tensor=name, shape=list(shape),
                    dtype=dtype.name, bytes=found,
                )  # fmt: skip
            # One byte more than there is: reaching the end makes zipfile check the CRC.
            values = np.frombuffer(stream.read(expected + 1), dtype)
            array = values.reshape(shape, order="F" if order else "C")
    except BROKEN:
        raise BadWeightsFile("member_broken", at="weights", member=member.filename) from None
    return np.asarray(array, dtype.newbyteorder("="), order="C")


def _npy_header(stream: IO[bytes], name: str) -> tuple[np.dtype, bool, tuple[int, ...]]:
    """dtype, whether columns come first, shape. Raises ValueError where the header is broken."""
    magic = stream.read(8)
    if magic[:6] != b"\x93NUMPY" or magic[6:] not in (b"\1\0", b"\2\0"):
        raise ValueError("no header of version 1 or 2")
    length = int.from_bytes(stream.read(2 if magic[6] == 1 else 4), "little")
    if length > LONGEST_HEADER:
        raise ValueError("the header is too long")
    match ast.literal_eval(stream.read(length).decode("latin-1").strip()):
        case {"descr": descr, "fortran_order": bool(order), "shape": tuple(shape)}:
            pass
        case _:
            raise ValueError("the header is no dictionary of three")
    if any(type(size) is not int or size < 0 for size in shape):
        raise ValueError("a size is no number")
    if isinstance(descr, str) and descr.lstrip("<>|=") == "O":
        raise BadWeightsFile("object_array", at="weights", tensor=name)
    if not (isinstance(descr, str) and DESCR.fullmatch(descr)):
        raise BadWeightsFile(
            "dtype_not_supported", at="weights", tensor=name, dtype=shown(str(descr))
        )
    return np.dtype(descr), order, shape


def _weights(arrays: dict[str, np.ndarray]) -> WeightsFile:
    metadata = {}
    if (vocab := arrays.get("vocab")) is not None and vocab.dtype.kind == "U":
        metadata["vocab"] = _texts(arrays.pop("vocab"))
    if (heads := arrays.get("num_heads")) is not None and heads.dtype.kind in "iu":
        metadata["num_heads"] = str(arrays.pop("num_heads").tolist())
    for name, array in arrays.items():
        if array.dtype.kind == "U":
            raise BadWeightsFile(
                "dtype_not_supported", at="weights", tensor=name, dtype=array.dtype.name
            )
    dtypes = {name: array.dtype.name for name, array in arrays.items()}
    wide = {
        name: array.astype(np.float32) if array.dtype == np.float16 else array
        for name, array in arrays.items()
    }
    return WeightsFile(wide, dtypes, metadata)


def _texts(vocab: np.ndarray) -> str:
    code_points = np.atleast_1d(vocab).view(np.uint32)
    if (code_points > 0x10FFFF).any():
        raise BadWeightsFile("vocab_broken", at="weights")
    return json.dumps(vocab.tolist())
