"""Read the table of a `Precompiled` normalizer (SentencePiece): a trie and replacements.

u32 bytes of the trie · u32 units · NUL-terminated texts
"""

from __future__ import annotations

import base64
import binascii
import unicodedata
from collections.abc import Iterator

import numpy as np

from attnscope.tokens.sentencepiece_normalizer import CharacterMap

LARGEST = 1 << 20  # bytes
MOST_NODES = 1 << 16
LONGEST_KEY = 5  # bytes, as in the tokenizers library
LONGEST_TEXT = 512  # bytes of a replacement
DEEPEST = 32  # bytes, as in SentencePiece
MOST_PLACES = 1 << 18
WIDEST = 18  # characters of a replacement, as in Unicode
CHUNK = 1 << 12
VALUE = (1 << 31) - 1
LABELS = np.arange(1, 256, dtype=np.int64)


class UnsafeCharsmap(Exception):
    pass


def check_charsmap(text: str) -> None:
    """Raises UnsafeCharsmap if broken, or if a replacement is wider than its key."""
    if len(text) > LARGEST * 4 // 3 + 4:
        raise UnsafeCharsmap
    try:
        units, texts = _parts(base64.b64decode(text, validate=True))
        texts.decode()
    except (binascii.Error, ValueError):
        raise UnsafeCharsmap from None
    for key, start in _entries(units):
        try:
            old = key.decode()
        except UnicodeDecodeError:
            raise UnsafeCharsmap from None
        if width(_text_at(texts, start)) > width(old):
            raise UnsafeCharsmap


def read_charsmap(blob: bytes) -> CharacterMap:
    if len(blob) > LARGEST:
        raise UnsafeCharsmap
    try:
        units, texts = _parts(blob)
    except ValueError:
        raise UnsafeCharsmap from None
    written = {start: _text_at(texts, start) for start in _starts(units)}
    if any(len(text) > WIDEST for text in written.values()):
        raise UnsafeCharsmap
    return CharacterMap(units.tolist(), written)


def _text_at(texts: bytes, start: int) -> str:
    end = texts.find(b"\0", start, start + LONGEST_TEXT)
    if end < 0:
        raise UnsafeCharsmap
    try:
        return texts[start:end].decode()
    except UnicodeDecodeError:
        raise UnsafeCharsmap from None


def width(text: str) -> int:
    """Length in NFKD, which expands most, after case folding."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return len(unicodedata.normalize("NFKD", decomposed))


def _parts(blob: bytes) -> tuple[np.ndarray, bytes]:
    size = int.from_bytes(blob[:4], "little")
    if size % 4 or not 4 <= size <= len(blob) - 4:
        raise ValueError
    return np.frombuffer(blob, "<u4", size // 4, 4).astype(np.int64), blob[4 + size :]


def _entries(units: np.ndarray) -> list[tuple[bytes, int]]:
    """Keys, and offsets of their replacements."""
    found: list[tuple[bytes, int]] = []
    offsets = _offsets(units)
    nodes, keys, walked = offsets[:1], [b""], 0
    for _ in range(LONGEST_KEY):
        children, longer = list[np.ndarray](), list[bytes]()
        for rows, columns, at in _children(units, nodes):
            children.append(at)
            steps = zip(rows.tolist(), columns.tolist(), strict=True)
            longer += [keys[row] + bytes([column + 1]) for row, column in steps]
            walked += len(at)
            if walked > MOST_NODES:
                raise UnsafeCharsmap
        at, keys = np.concatenate([*children, nodes[:0]]), longer
        nodes = _below(at, offsets)
        values = units[nodes] & VALUE
        for row in np.nonzero(_has_value(units, at))[0].tolist():
            found.append((keys[row], int(values[row])))
    return found


def _starts(units: np.ndarray) -> set[int]:
    found, walked, offsets = set[int](), 0, _offsets(units)
    nodes = offsets[:1]
    for _ in range(DEEPEST):
        at = np.unique(np.concatenate([*(one[2] for one in _children(units, nodes)), nodes[:0]]))
        walked += len(at)
        if walked > MOST_PLACES:
            raise UnsafeCharsmap
        nodes = _below(at, offsets)
        found.update((units[nodes[_has_value(units, at)]] & VALUE).tolist())
        if not len(at):
            return found
    raise UnsafeCharsmap


def _offsets(units: np.ndarray) -> np.ndarray:
    """XOR masks from nodes to children."""
    return (units >> 10) << ((units & (1 << 9)) >> 6)


def _children(
    units: np.ndarray, nodes: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each child: its parent's row in `nodes`, its byte − 1, its index in `units`."""
    labels = units & ((1 << 31) | 0xFF)
    for first in range(0, len(nodes), CHUNK):
        places = nodes[first : first + CHUNK, None] ^ LABELS
        if places.max(initial=0) >= len(units):
            raise UnsafeCharsmap
        rows, columns = np.nonzero(labels[places] == LABELS)
        yield rows + first, columns, places[rows, columns]


def _below(at: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    nodes: np.ndarray = at ^ offsets[at]
    if nodes.max(initial=0) >= len(offsets):
        raise UnsafeCharsmap
    return nodes


def _has_value(units: np.ndarray, at: np.ndarray) -> np.ndarray:
    having: np.ndarray = (units[at] >> 8) & 1 == 1
    return having
