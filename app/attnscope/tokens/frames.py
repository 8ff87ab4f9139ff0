from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Any, BinaryIO

import orjson

LENGTHS = Struct("<QQ")


def pack_frame(message: Sequence[Any], content: bytes = b"") -> bytes:
    data = orjson.dumps(message)
    return b"".join([LENGTHS.pack(len(data), len(content)), data, content])


def read_frame(stream: BinaryIO) -> tuple[list[Any], bytes]:
    """Raises EOFError if the stream ends."""
    size, more = LENGTHS.unpack(_read(stream, LENGTHS.size))
    return orjson.loads(_read(stream, size)), _read(stream, more)


def _read(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data
