"""SentencePiece's character maps of a few keys."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

BLOCK = 256  # units: each node's children have their own block


def table(units: Sequence[int], texts: bytes) -> str:
    """Base64 of units and texts."""
    array = b"".join(unit.to_bytes(4, "little") for unit in units)
    return base64.b64encode(len(array).to_bytes(4, "little") + array + texts).decode()


def charsmap(replaced: Mapping[str, str] | Mapping[bytes, str]) -> str:
    units, texts = [0] * BLOCK, b""

    def opened(at: int) -> int:
        """Block of children, created if missing."""
        if not units[at] >> 10:
            units[at] |= (at ^ len(units)) << 10
            units.extend([0] * BLOCK)
        return at ^ (units[at] >> 10)

    for key, text in replaced.items():
        at = 0
        for byte in key if isinstance(key, bytes) else key.encode():
            at = opened(at) ^ byte
            units[at] |= byte
        units[opened(at)] = len(texts) | 1 << 31
        units[at] |= 1 << 8
        texts += text.encode() + b"\0"
    return table(units, texts)


def aliased() -> str:
    """Every node has all children: 255⁵ keys."""
    units = [at & 0xFF | (at ^ BLOCK) << 10 for at in range(2 * BLOCK)]
    return table(units, b"\0")
