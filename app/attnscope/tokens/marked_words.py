"""Words from marks of subwords. ▁ (SentencePiece, Kudo & Richardson 2018) and Ġ (byte-level BPE,
Radford et al. 2019) are spaces; ## (WordPiece, Schuster & Nakajima 2012) continues a word."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from attnscope.tokens.vocabulary import SIGNS
from attnscope.tokens.word_groups import Span, word_groups

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
