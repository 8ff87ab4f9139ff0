"""Three ways to split a text: words, characters, whitespace.

White space is never a token: "the cat" has 2 words and 6 characters. All other characters are in
exactly one token, and no token splits a grapheme cluster (Unicode annex 29).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import regex

from attnscope.errors import InvalidRequest

Tokenizer = Literal["words", "characters", "whitespace"]

# A flag is two regional indicators, matched here because \X recounts them from the start every
# time.
FLAG = r"[\U0001f1e6-\U0001f1ff]{1,2}[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]*"
# Prepended marks join what follows, even white space and what joins that: there they stand alone.
CLUSTER = rf"(?:{FLAG}|\p{{GCB=Prepend}}++(?=\s)|\X)"
# U+30FC and U+FF70, the long vowel marks of kana, belong to no script.
CJK = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\u30fc\uff70"
LETTER = rf"[\p{{L}}--[{CJK}]]"
# Invisible format characters, such as soft hyphens, go with the character before them.
SILENT = r"[\p{Cf}--[\p{GCB=Prepend}\u200b]]"
PART = rf"(?:(?=[[\p{{L}}\p{{N}}]--[{CJK}]]){CLUSTER}{SILENT}*)"
# Inside a word: l’homme, col·lega, צה״ל; inside a number: 3.14, 1,000, ٣٫١٤.
BETWEEN_LETTERS = rf"(?:(?<={LETTER}[\p{{M}}\p{{Cf}}]*)['’＇·\u05f3\u05f4\u2027](?={LETTER}))"
BETWEEN_DIGITS = r"(?:(?<=\p{Nd})[.,'’\u066b\u066c](?=\p{Nd}))"
JOINER = rf"(?:{BETWEEN_LETTERS}|{BETWEEN_DIGITS}|_+(?=[[\p{{L}}\p{{N}}]--[{CJK}]]))"

PATTERNS: dict[Tokenizer, regex.Pattern[str]] = {
    "words": regex.compile(rf"{PART}+(?:{JOINER}{PART}+)*|(?=\S){CLUSTER}", regex.V1),
    "characters": regex.compile(rf"(?=\S){CLUSTER}", regex.V1),
    "whitespace": regex.compile(r"\S+", regex.V1),
}
ALL = 1 << 32  # above the number of tokens of any text
SURROGATE = regex.compile(r"[\ud800-\udfff]")


class Token(NamedTuple):
    """text[start:end] of the whole text, repeated in `text`.

    For two sentences, `sentence` is the index of its own and `type` the tokenizer's type id.
    `added`: a special token from the tokenizer. `unknown`: replaces text without a token. `id`: row
    in the vocabulary, None if the text was split without one.
    """

    text: str
    start: int
    end: int
    sentence: int = 0
    kind: int = 0
    added: bool = False
    unknown: bool = False
    id: int | None = None


class Cut(NamedTuple):
    """The first tokens of a text, and its number of tokens; a lower bound if not `exact`."""

    tokens: list[Token]
    total: int
    exact: bool = True

    @property
    def whole(self) -> bool:
        return self.exact and len(self.tokens) == self.total


def tokenize(text: str, tokenizer: Tokenizer) -> list[Token]:
    """The tokens of a text in reading order.

    words: punctuation apart, each Chinese or Japanese character alone, a run of letters and
    digits together (didn't, 3.14, می‌خواهم), anything else one grapheme cluster.
    characters: grapheme clusters. whitespace: what stands between white space.
    """
    return [Token(text[start:end], start, end) for start, end in places(text, tokenizer)]


def places(text: str, tokenizer: Tokenizer) -> Iterator[tuple[int, int]]:
    """Start and end of each token."""
    return (match.span() for match in PATTERNS[tokenizer].finditer(text))


def check_text(text: str, at: str = "text") -> None:
    """Raises InvalidRequest for NUL and for lone surrogates."""
    if (position := text.find("\0")) >= 0:
        raise InvalidRequest("nul_character", at=at, position=position)
    if half := SURROGATE.search(text):
        raise InvalidRequest("lone_surrogate", at=at, position=half.start())
