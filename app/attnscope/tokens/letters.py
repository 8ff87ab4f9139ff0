"""SentencePiece's character map (Kudo & Richardson 2018): a double-array trie (Aoe 1989).

Bits of a unit: 0–7 label, 8 whether a child has a value, 9–30 offset, 31 whether this is a value.
The child of node i for UTF-8 byte c is at i ⊕ offset ⊕ c, if its label is c.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

LABEL = (1 << 31) | 0xFF
VALUE = (1 << 31) - 1


class CharacterMap:
    """`written` maps values to replacements."""

    def __init__(self, units: Sequence[int] = (), written: Mapping[int, str] | None = None) -> None:
        self._units, self._written = units, dict(written or {})

    def at(self, text: str, start: int) -> tuple[str, int] | None:
        """Replacement of the longest key at `start`, and the key's end."""
        if not self._units:
            return None
        found, units = None, self._units
        node = _below(0, units[0])
        for end in range(start, len(text)):
            for byte in text[end].encode():
                place = node ^ byte
                unit = units[place]
                if unit & LABEL != byte:
                    return found
                node = _below(place, unit)
            if unit >> 8 & 1:
                found = self._written[units[node] & VALUE], end + 1
        return found


class WholePieceMatcher:
    """Finds the longest of the pieces that stay whole."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._by_first: dict[str, list[str]] = {}
        for piece in sorted(pieces, key=len, reverse=True):
            self._by_first.setdefault(piece[0], []).append(piece)

    def at(self, text: str, start: int) -> str | None:
        pieces = self._by_first.get(text[start], ())
        return next((piece for piece in pieces if text.startswith(piece, start)), None)


def _below(place: int, unit: int) -> int:
    return place ^ (unit >> 10) << ((unit & 1 << 9) >> 6)
