from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO

import orjson

LENGTH = 8  # bytes


def framed(message: Sequence[Any], content: bytes = b"") -> bytes:
    data = orjson.dumps(message)
    return b"".join([_length(data), _length(content), data, content])


def read_frame(stream: BinaryIO) -> tuple[list[Any], bytes]:
    """Raises EOFError if closed."""
    sizes = _read(stream, 2 * LENGTH)
    size, more = (int.from_bytes(sizes[at : at + LENGTH], "little") for at in (0, LENGTH))
    return orjson.loads(_read(stream, size)), _read(stream, more)


def _length(data: bytes) -> bytes:
    return len(data).to_bytes(LENGTH, "little")


def _read(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
