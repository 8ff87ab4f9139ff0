from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from attnscope.tokens.letters import CharacterMap, WholePieceMatcher

SPACE = "▁"


@dataclass(frozen=True)
class Rewritten:
    """Character i comes from the span starts[i]:ends[i], which is empty for an added ▁."""

    text: str
    starts: list[int]
    ends: list[int]


@dataclass(frozen=True)
class SentencePieceNormalizer:
    """Kudo & Richardson 2018. Pieces in `unsplit` do not change. `begins` adds ▁ before a text,
    `squeezes` strips and collapses spaces."""

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
