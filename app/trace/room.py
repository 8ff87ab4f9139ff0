"""How many tokens a text may have: as many as the server takes, and as the model was trained on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.errors import TooManyTokens
from app.tokens import Token

Split = Callable[[str, str], list[Token]]  # of a text that stands at a field
SplitPair = Callable[[str, str, str], list[Token]]  # of two, the first of which stands there


@dataclass(frozen=True)
class Room:
    """`trained` is None where a model takes any number."""

    max_tokens: int
    trained: int | None = None

    def check(self, at: str, tokens: int, end: Callable[[int], int | None] | None = None) -> None:
        """Raises TooManyTokens with the smaller of both limits; end(limit) is where the text would
        have to end."""
        if self.trained is None or self.trained > self.max_tokens:
            check_length(at, tokens, self.max_tokens)
        if self.trained is None or tokens <= self.trained:
            return
        cut = None if end is None else end(self.trained)
        reason = "tokens_over_model_context" if cut is None else "over_model_context"
        raise TooManyTokens(reason, at=at, tokens=tokens, limit=self.trained, end=cut)


def check_length(at: str, tokens: int, max_tokens: int) -> None:
    """Raises TooManyTokens."""
    if tokens > max_tokens:
        raise TooManyTokens("over_limit", at=at, tokens=tokens, limit=max_tokens)


def end_within(text: str, tokens: list[Token], limit: int, split: Split, at: str) -> int | None:
    """The last place between two tokens where the text can end and have at most `limit`; None where
    there is none. A character of several tokens is not cut, and what is left is split anew: an end
    can change the tokens before it."""
    for before, after in zip(tokens[limit - 1 :: -1], tokens[limit:0:-1], strict=True):
        end = min(before.end, after.start)
        if end and len(split(text[:end], at)) <= limit:
            return end
    return None
