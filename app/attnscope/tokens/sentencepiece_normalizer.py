"""SentencePiece's normalizer. Its character map (Kudo & Richardson 2018) is a double-array trie
(Aoe 1989).

Bits of a unit: 0–7 label, 8 whether a child has a value, 9–30 offset, 31 whether this is a value.
The child of node i for UTF-8 byte c is at i ⊕ offset ⊕ c, if its label is c.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

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
    def __init__(self, pieces: Iterable[str]) -> None:
        self._by_first: dict[str, list[str]] = {}
        for piece in sorted(pieces, key=len, reverse=True):
            self._by_first.setdefault(piece[0], []).append(piece)

    def at(self, text: str, start: int) -> str | None:
        pieces = self._by_first.get(text[start], ())
        return next((piece for piece in pieces if text.startswith(piece, start)), None)


def _below(place: int, unit: int) -> int:
    return place ^ (unit >> 10) << ((unit & 1 << 9) >> 6)


SPACE = "▁"


@dataclass(frozen=True)
class Rewritten:
    """Character i comes from the span starts[i]:ends[i], which is empty for an added ▁."""

    text: str
    starts: list[int]
    ends: list[int]


@dataclass(frozen=True)
class SentencePieceNormalizer:
    """Pieces in `unsplit` do not change. `begins` adds ▁ before a text, `squeezes` strips and
    collapses spaces."""

    letters: CharacterMap
    unsplit: Sequence[str] = ()
    begins: bool = True
    squeezes: bool = True

    def of(self, text: str) -> Rewritten:
        signs, starts, ends = list[str](), list[int](), list[int]()
        spaced = begins = self.squeezes
        for written, start, end in self._parts(text):
            if begins and written == " ":
                continue
            if self.begins and not signs:
                signs, starts, ends = [SPACE], [start], [start]
            begins = False
            shown = written.lstrip(" ") if spaced else written
            signs += shown.replace(" ", SPACE)
            starts += [start] * len(shown)
            ends += [end] * len(shown)
            if shown:
                spaced = self.squeezes and shown.endswith(" ")
        while self.squeezes and signs and signs[-1] == SPACE:
            signs.pop()
        return Rewritten("".join(signs), starts[: len(signs)], ends[: len(signs)])

    def _parts(self, text: str) -> Iterator[tuple[str, int, int]]:
        at = 0
        while at < len(text):
            piece = self._whole.at(text, at)
            if piece is None:
                written, end = self.letters.at(text, at) or (text[at], at + 1)
            else:
                written, end = piece, at + len(piece)
            yield written, at, end
            at = end

    @cached_property
    def _whole(self) -> WholePieceMatcher:
        return WholePieceMatcher(self.unsplit)
