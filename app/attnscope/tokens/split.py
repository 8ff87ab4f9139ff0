"""Split text into words, characters, or runs between white space. Grapheme clusters (Unicode annex
29) stay whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import regex

from attnscope.errors import InvalidRequest

Tokenizer = Literal["words", "characters", "whitespace"]

# \X alone would take quadratic time in a run of flags.
FLAG = r"[\U0001f1e6-\U0001f1ff]{1,2}[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]*"
# Prepended marks join the next character, but not white space.
CLUSTER = rf"(?:{FLAG}|\p{{GCB=Prepend}}++(?=\s)|\X)"
# U+30FC and U+FF70 are in no script.
CJK = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\u30fc\uff70"
LETTER = rf"[\p{{L}}--[{CJK}]]"
# Format characters join the previous character.
SILENT = r"[\p{Cf}--[\p{GCB=Prepend}\u200b]]"
# Some vowel signs, such as Burmese ones, extend no cluster.
PART = rf"(?:(?=[[\p{{L}}\p{{N}}]--[{CJK}]]){CLUSTER}[\p{{M}}{SILENT}]*)"
# l’homme, col·lega, צה״ל; 3.14, 1,000, ٣٫١٤.
BETWEEN_LETTERS = rf"(?:(?<={LETTER}[\p{{M}}\p{{Cf}}]*)['’＇·\u05f3\u05f4\u2027](?={LETTER}))"
BETWEEN_DIGITS = r"(?:(?<=\p{Nd})[.,'’\u066b\u066c](?=\p{Nd}))"
JOINER = rf"(?:{BETWEEN_LETTERS}|{BETWEEN_DIGITS}|_+(?=[[\p{{L}}\p{{N}}]--[{CJK}]]))"

PATTERNS: dict[Tokenizer, regex.Pattern[str]] = {
    "words": regex.compile(rf"{PART}+(?:{JOINER}{PART}+)*|(?=\S){CLUSTER}", regex.V1),
    "characters": regex.compile(rf"(?=\S){CLUSTER}", regex.V1),
    "whitespace": regex.compile(r"\S+", regex.V1),
}
ALL = 1 << 32  # no limit
SURROGATE = regex.compile(r"[\ud800-\udfff]")


class Token(NamedTuple):
    """`sentence` is an index in a pair, `kind` a type id, `id` a vocabulary row."""

    text: str
    start: int
    end: int
    sentence: int = 0
    kind: int = 0
    added: bool = False
    unknown: bool = False
    id: int | None = None


class Tokenization(NamedTuple):
    """The total is a lower bound unless `exact`."""

    tokens: list[Token]
    total: int
    exact: bool = True

    @property
    def whole(self) -> bool:
        return self.exact and len(self.tokens) == self.total


def tokenize(text: str, tokenizer: Tokenizer) -> list[Token]:
    """Words are runs of letters and digits (didn't, 3.14); in Chinese and Japanese, grapheme
    clusters."""
    return [Token(text[start:end], start, end) for start, end in places(text, tokenizer)]


def places(text: str, tokenizer: Tokenizer) -> Iterator[tuple[int, int]]:
    return (match.span() for match in PATTERNS[tokenizer].finditer(text))


def check_text(text: str, at: str = "text") -> None:
    """Raises InvalidRequest for NUL and lone surrogates."""
    if (position := text.find("\0")) >= 0:
        raise InvalidRequest("nul_character", at=at, position=position)
    if half := SURROGATE.search(text):
        raise InvalidRequest("lone_surrogate", at=at, position=half.start())
