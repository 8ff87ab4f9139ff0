"""A text in words or characters, with everything that is refused."""

from __future__ import annotations

from app.errors import EmptyText, TooLarge
from app.tokens.process import MIB, CutFailed
from app.tokens.processes import CUT_BYTES, CUT_SECONDS, shared
from app.tokens.split import ALL, Cut, Token, Tokenizer, check_text, tokenize

SHORT = 1 << 14  # characters: such a text is split where it is asked for
EACH = 1.5e-6  # seconds of CPU, for a character


def read_text(text: str, tokenizer: Tokenizer, at: str = "text", *, most: int = ALL) -> Cut:
    """A checked text; of one with more than `most` tokens the first `most` + 1 at the most. Raises
    EmptyText when there is none, and TooLarge where splitting it takes too much."""
    check_text(text, at)
    cut = _split(text, tokenizer, at, most)
    if not cut.total:
        raise EmptyText("no_token", at=at)
    return cut


def too_costly(at: str) -> TooLarge:
    """A text whose process was ended."""
    return TooLarge("cutting", at=at, seconds=CUT_SECONDS, limit=f"{CUT_BYTES // MIB} MB")


def _split(text: str, tokenizer: Tokenizer, at: str, most: int) -> Cut:
    if len(text) <= SHORT:
        tokens = tokenize(text, tokenizer)
        return Cut(tokens, len(tokens))
    given = text, tokenizer, most + 1
    try:
        total, found = shared().ask(None, "split", *given, seconds=EACH * len(text))
    except CutFailed:
        raise too_costly(at) from None
    spans = zip(found[::2], found[1::2], strict=True)
    return Cut([Token(text[start:end], start, end) for start, end in spans], total)
