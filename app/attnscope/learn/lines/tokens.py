"""Split a line into numbers, names and signs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from attnscope.learn.lines.tree import LineError

LONGEST = 400  # most characters of a line
# Other characters → ASCII, one for one so that offsets stay.
ASCII_CHARACTERS = {full: full - 0xFEE0 for full in range(0xFF01, 0xFF5F)} | str.maketrans(
    "−–—×·÷、【】。\u3000\xa0", "---**/,[].  "
)
SIGN = re.compile(r"\*\*|<=|>=|==|!=|[-+*/<>()\[\],=≤≥≠^]")
NUMBER = re.compile(r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+")
NAME = re.compile(r"[A-Za-z_]\w*|√|∞", re.ASCII)
SPACE = re.compile(r"\s+")
ASCII_TOKENS = {"≤": "<=", "≥": ">=", "≠": "!=", "^": "**", "√": "sqrt", "∞": "inf"}


@dataclass(frozen=True)
class Token:
    kind: str  # "number", "name", "sign" or "end"
    text: str
    at: int


def tokens(line: str) -> list[Token]:
    """The last token has the kind "end". Raises LineError."""
    if len(line) > LONGEST:
        raise LineError("too_long", LONGEST, length=len(line), most=LONGEST)
    text = line.translate(ASCII_CHARACTERS)
    found, at = [], 0
    while at < len(text):
        if space := SPACE.match(text, at):
            at = space.end()
            continue
        token = _token(text, at)
        found.append(token)
        at += len(token.text)
    return [*(_same(token) for token in found), Token("end", "", len(line.rstrip()))]


def _token(text: str, at: int) -> Token:
    for kind, pattern in (("number", NUMBER), ("name", NAME), ("sign", SIGN)):
        if found := pattern.match(text, at):
            return Token(kind, found[0], at)
    reason = {"@": "matrix_product", ".": "attribute"}.get(text[at], "character")
    raise LineError(reason, at, character=text[at])


def _same(token: Token) -> Token:
    return Token(token.kind, ASCII_TOKENS.get(token.text, token.text), token.at)
