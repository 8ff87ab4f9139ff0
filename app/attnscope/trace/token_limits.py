from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attnscope.errors import TooManyTokens
from attnscope.tokens.split import Token, Tokenization

# Reasons of errors, with and without a place to cut the text.
OVER_CONTEXT = ("over_model_context", "tokens_over_model_context")
SURELY_OVER_CONTEXT = ("surely_over_model_context", "surely_tokens_over_model_context")
Split = Callable[[str, str], Tokenization]
SplitPair = Callable[[str, str, str], Tokenization]  # text, pair, field of the text


@dataclass(frozen=True)
class TokenLimits:
    """Limits of server and model. `trained`: the model's longest text; None: unlimited."""

    max_tokens: int
    trained: int | None = None

    @property
    def most(self) -> int:
        return self.max_tokens if self.trained is None else min(self.max_tokens, self.trained)

    def check(
        self, at: str, tokens: int, end: Callable[[int], int | None] | None = None,
        *, exact: bool = True,
    ) -> None:  # fmt: skip
        """end(limit) returns where to cut. Unless `exact`, there may be more `tokens`."""
        if self.trained is None or self.trained > self.max_tokens:
            check_length(at, tokens, self.max_tokens, exact=exact)
        if self.trained is None or tokens <= self.trained:
            return
        cut = None if end is None else end(self.trained)
        reasons = OVER_CONTEXT if exact else SURELY_OVER_CONTEXT
        raise TooManyTokens(reasons[cut is None], at=at, tokens=tokens, limit=self.trained, end=cut)


def check_length(at: str, tokens: int, max_tokens: int, *, exact: bool = True) -> None:
    if tokens > max_tokens:
        reason = "over_limit" if exact else "surely_over_limit"
        raise TooManyTokens(reason, at=at, tokens=tokens, limit=max_tokens)


def end_within(text: str, tokens: list[Token], limit: int, split: Split, at: str) -> int | None:
    """Offset at which to cut a text. Tokenizes again, as a cut can change earlier tokens."""
    for before, after in zip(tokens[limit - 1 :: -1], tokens[limit:0:-1], strict=True):
        end = min(before.end, after.start)
        if end and split(text[:end], at).total <= limit:
            return end
    return None
