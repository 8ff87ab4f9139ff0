"""Tokens by word. In scripts without spaces each token is a word."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

APOSTROPHES = "'’"
JOINER = "\u200d"  # joins parts of an emoji
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
SKIN_TONES = range(0x1F3FB, 0x1F400)

Span = tuple[int, int]


def word_groups(text: str, spans: Sequence[Span | None]) -> list[list[int]]:
    """A span is [start, end); that of a token without characters is None or empty."""
    groups: list[list[int]] = []
    last: Span | None = None
    for position, span in enumerate(spans):
        if last and span and span[0] < span[1] and _joined(text, last, span):
            groups[-1].append(position)
        else:
            groups.append([position])
        last = span if span and span[0] < span[1] else None
    return groups


def _joined(text: str, one: Span, other: Span) -> bool:
    if other[0] < one[1]:
        return True
    if other[0] > one[1]:
        return False
    if text[one[0] : one[1]] == " ":  # the mark of SentencePiece
        return _kind(text[other[0]]) == "letter"
    return _inside(text, other[0])


def _inside(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    kinds = (_kind(before), _kind(after))
    if kinds[1] == "mark" or before == JOINER:
        return True
    if after in APOSTROPHES:
        return _letter(text, at - 1) and _letter(text, at + 1)
    if before in APOSTROPHES:
        return _letter(text, at - 2) and kinds[1] == "letter"
    return kinds[0] in ("letter", "mark") and kinds[1] == "letter"


def _letter(text: str, at: int) -> bool:
    return 0 <= at < len(text) and _kind(text[at]) == "letter"


@lru_cache(4096)
def _kind(character: str) -> str:
    if character == JOINER or ord(character) in SKIN_TONES:
        return "mark"
    if unicodedata.category(character)[0] == "M":
        return "mark"
    if not (character.isalnum() or character == "_"):
        return "other"
    unspaced = unicodedata.name(character, "").startswith(UNSPACED)
    return "other" if unspaced else "letter"
