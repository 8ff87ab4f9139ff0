from __future__ import annotations

from attnscope.errors import EmptyText, TooLarge
from attnscope.tokens.process import MIB, TokenizationFailed
from attnscope.tokens.processes import CUT_BYTES, CUT_SECONDS, shared
from attnscope.tokens.split import ALL, Token, Tokenization, Tokenizer, check_text, tokenize

SHORT = 1 << 14  # characters split in this process
EACH = 1.5e-6  # CPU seconds per character


def read_text(
    text: str, tokenizer: Tokenizer, at: str = "text", *, most: int = ALL
) -> Tokenization:
    """Return about `most` tokens, or all of a short text. Raises EmptyText, InvalidRequest, and
    TooLarge if too slow."""
    check_text(text, at)
    cut = _split(text, tokenizer, at, most)
    if not cut.total:
        raise EmptyText("no_token", at=at)
    return cut


def too_costly(at: str) -> TooLarge:
    return TooLarge("cutting", at=at, seconds=CUT_SECONDS, limit=f"{CUT_BYTES // MIB} MB")


def _split(text: str, tokenizer: Tokenizer, at: str, most: int) -> Tokenization:
    if len(text) <= SHORT:
        tokens = tokenize(text, tokenizer)
        return Tokenization(tokens, len(tokens))
    given = text, tokenizer, most + 1
    try:
        total, found = shared().ask(None, "split", *given, seconds=EACH * len(text))
    except TokenizationFailed:
        raise too_costly(at) from None
    spans = zip(found[::2], found[1::2], strict=True)
    return Tokenization([Token(text[start:end], start, end) for start, end in spans], total)
