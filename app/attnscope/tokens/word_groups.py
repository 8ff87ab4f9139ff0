"""Group tokens by word. In scripts without spaces, each token is a word.

In subwords, ▁ (SentencePiece, Kudo & Richardson 2018) and Ġ (byte-level BPE, Radford et al. 2019)
are spaces; ## (WordPiece, Schuster & Nakajima 2012) continues a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import accumulate, pairwise

from attnscope.tokens.vocabulary import SIGNS

APOSTROPHES = "'’＇·\u05f3\u05f4\u2027"  # as in split.py
JOINER = "\u200d"  # joins parts of an emoji
ZERO_WIDTH_SPACE = "\u200b"
FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
UNSPACED = (
    "CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA", "BOPOMOFO", "THAI", "LAO",
    "KHMER", "MYANMAR",
)  # fmt: skip
SKIN_TONES = range(0x1F3FB, 0x1F400)

Span = tuple[int, int]


def word_groups(text: str, spans: Sequence[Span | None]) -> list[list[int]]:
    """Spans are [start, end); None or empty for tokens without characters."""
    groups: list[list[int]] = []
    last: Span | None = None
    inside_flags = {flag.start() + 1 for flag in FLAG.finditer(text)}
    for position, span in enumerate(spans):
        if last and span and span[0] < span[1] and _joined(text, last, span, inside_flags):
            groups[-1].append(position)
        else:
            groups.append([position])
        last = span if span and span[0] < span[1] else None
    return groups


def _joined(text: str, one: Span, other: Span, inside_flags: Set[int]) -> bool:
    if other[0] < one[1] or other[0] in inside_flags:
        return True
    if other[0] > one[1]:  # characters that the tokenizer dropped, such as accents
        return all(_inside(text, at) for at in range(one[1], other[0] + 1))
    if text[one[0] : one[1]] == " ":  # ▁ of SentencePiece
        return _kind(text[other[0]]) == "letter"
    return _inside(text, other[0])


def _inside(text: str, at: int) -> bool:
    after, following = text[at], at + 1
    if _kind(after) == "format":
        return not text[at - 1].isspace()
    while at > 1 and _kind(text[at - 1]) == "format":
        at -= 1
    before = text[at - 1]
    kinds = (_kind(before), _kind(after))
    if kinds[1] == "mark" or before == JOINER:
        return True
    if after in APOSTROPHES:
        return _letter(text, at - 1) and _letter(text, following)
    if before in APOSTROPHES:
        return _letter(text, at - 2) and kinds[1] == "letter"
    return kinds[0] in ("letter", "mark") and kinds[1] == "letter"


def _letter(text: str, at: int) -> bool:
    return 0 <= at < len(text) and _kind(text[at]) == "letter"


@lru_cache(4096)
def _kind(character: str) -> str:
    if character == JOINER or ord(character) in SKIN_TONES:
        return "mark"
    category = unicodedata.category(character)
    if category[0] == "M":
        return "mark"
    if category == "Cf" and character != ZERO_WIDTH_SPACE:
        return "format"
    if not (character.isalnum() or character == "_"):
        return "other"
    unspaced = unicodedata.name(character, "").startswith(UNSPACED)
    return "other" if unspaced else "letter"


SPACE, BYTE_SPACE = "▁", "Ġ"
CONTINUES = "##"


def marked_groups(tokens: Sequence[str]) -> list[list[int]]:
    """Without marks, each token is a word."""
    if any(token.startswith(SPACE) for token in tokens):
        return _grouped([token.replace(SPACE, " ") for token in tokens])
    if any(token.startswith(BYTE_SPACE) for token in tokens):
        return _grouped_bytes([_bytes_of(token) for token in tokens])
    if any(token.startswith(CONTINUES) and token != CONTINUES for token in tokens):
        return _grouped([_spaced(token) for token in tokens])
    return [[position] for position in range(len(tokens))]


def _spaced(token: str) -> str:
    return token.removeprefix(CONTINUES) if token.startswith(CONTINUES) else f" {token}"


def _grouped(texts: Sequence[str]) -> list[list[int]]:
    ends = accumulate(map(len, texts), initial=0)
    whole = "".join(texts)
    return word_groups(whole, [_stripped(whole, span) for span in pairwise(ends)])


def _grouped_bytes(parts: Sequence[bytes]) -> list[list[int]]:
    whole = b"".join(parts)
    text = whole.decode(errors="replace")
    begins = [byte & 0xC0 != 0x80 for byte in whole]
    if sum(begins) != len(text):  # not UTF-8
        return _grouped([part.decode(errors="replace") for part in parts])
    places = list(accumulate(begins, initial=0))  # characters before each byte
    spans = []
    for first, end in pairwise(accumulate(map(len, parts), initial=0)):
        inside = first < end and not begins[first]
        spans.append(_stripped(text, (places[first] - inside, places[end])))
    return word_groups(text, spans)


def _stripped(text: str, span: Span) -> Span:
    own = text[span[0] : span[1]]
    return span if not own.strip() else (span[1] - len(own.lstrip()), span[1])


def _bytes_of(token: str) -> bytes:
    if all(sign in SIGNS for sign in token):
        return bytes(SIGNS[sign] for sign in token)
    return token.encode(errors="replace")
