"""PNG without an image library."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from jaxtyping import UInt8

SIGNATURE = b"\x89PNG\r\n\x1a\n"
RGBA = 6  # colour type
LEVEL = 3  # three times as fast as level 6, 12 % larger


def png_of(pixels: UInt8[np.ndarray, "rows cols 4"]) -> bytes:
    rows, cols = pixels.shape[:2]
    lines = np.zeros((rows, 1 + 4 * cols), np.uint8)  # a line begins with filter byte 0
    lines[:, 1:] = pixels.reshape(rows, -1)
    header = struct.pack(">IIBBBBB", cols, rows, 8, RGBA, 0, 0, 0)
    data = zlib.compress(lines.tobytes(), LEVEL)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
