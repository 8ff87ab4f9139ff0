"""The table of letters in a `Precompiled` normalizer (SentencePiece, Kudo & Richardson 2018): a
double array (Aoe 1989) of UTF-8 keys, and the texts that replace them, each with a NUL behind it.

    u32 bytes of the array · the array, u32 units · the texts

A unit: bits 0–7 label, 8 whether a value lies below, 9–30 offset, and 31 for a value. The child of
the node at i by the byte c is at i ⊕ offset ⊕ c, if the label there is c.
"""

from __future__ import annotations

import base64
import binascii
import unicodedata

import numpy as np

LARGEST = 1 << 20  # bytes; those of nmt_nfkc and nmt_nfkc_cf have about 240,000
MOST_NODES = 1 << 16  # that are walked; those have about 13,000
LONGEST_KEY = 5  # bytes: the tokenizers library looks up no longer part of a text
LONGEST_TEXT = 512  # bytes of a replacement: more is refused for its width in any case
CHUNK = 1 << 12  # nodes at once: 255 children each
LABELS = np.arange(1, 256, dtype=np.int64)


class StrangeCharsmap(Exception):
    """A table that is damaged, or makes texts longer than Unicode itself does."""


def check_charsmap(text: str) -> None:
    """Raises StrangeCharsmap unless every replacement lies inside the table and is no longer, fully
    decomposed, than what it replaces. So no number of normalizers makes a text longer than its
    compatibility decomposition, at most 18 characters for one."""
    if len(text) > LARGEST * 4 // 3 + 4:
        raise StrangeCharsmap
    try:
        blob = base64.b64decode(text, validate=True)
        units, texts = _parts(blob)
        texts.decode()
    except (binascii.Error, ValueError):  # a UnicodeDecodeError is one too
        raise StrangeCharsmap from None
    for key, start in _entries(units):
        end = texts.find(b"\0", start, start + LONGEST_TEXT)
        if end < 0:
            raise StrangeCharsmap
        try:
            old, new = key.decode(), texts[start:end].decode()
        except UnicodeDecodeError:
            raise StrangeCharsmap from None
        if width(new) > width(old):
            raise StrangeCharsmap


def width(text: str) -> int:
    """Characters of a text that is decomposed and folded: no normalizer makes more of it."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return len(unicodedata.normalize("NFKD", decomposed))


def _parts(blob: bytes) -> tuple[np.ndarray, bytes]:
    """The units of the array, and the texts behind it. Raises ValueError."""
    size = int.from_bytes(blob[:4], "little")
    if size % 4 or not 4 <= size <= len(blob) - 4:
        raise ValueError
    return np.frombuffer(blob, "<u4", size // 4, 4).astype(np.int64), blob[4 + size :]


def _entries(units: np.ndarray) -> list[tuple[bytes, int]]:
    """Every key of up to LONGEST_KEY bytes, with where its text begins."""
    found: list[tuple[bytes, int]] = []
    offsets = (units >> 10) << ((units & (1 << 9)) >> 6)
    labels = units & ((1 << 31) | 0xFF)
    nodes, keys, walked = offsets[:1], [b""], 0
    for _ in range(LONGEST_KEY):
        children, longer = list[np.ndarray](), list[bytes]()
        for first in range(0, len(nodes), CHUNK):
            places = nodes[first : first + CHUNK, None] ^ LABELS
            if places.max(initial=0) >= len(units):
                raise StrangeCharsmap
            rows, columns = np.nonzero(labels[places] == LABELS)
            at = places[rows, columns]
            children.append(at)
            steps = zip(rows.tolist(), columns.tolist(), strict=True)
            longer += [keys[first + row] + bytes([column + 1]) for row, column in steps]
            walked += len(at)
            if walked > MOST_NODES:
                raise StrangeCharsmap
        at, keys = np.concatenate([*children, nodes[:0]]), longer
        nodes = at ^ offsets[at]
        if nodes.max(initial=0) >= len(units):
            raise StrangeCharsmap
        values = units[nodes] & ((1 << 31) - 1)
        for row in np.nonzero((units[at] >> 8) & 1)[0].tolist():
            found.append((keys[row], int(values[row])))
    return found
