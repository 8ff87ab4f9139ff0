from __future__ import annotations

from collections.abc import Sequence

import numpy as np

DIGITS = 5
SHOWN_TERMS = 16  # terms of a sum
FIRST_TERMS = 3


def format_number(value: float) -> str:
    """Five significant digits; −0 becomes 0."""
    if np.isneginf(value):
        return "−∞"
    text = f"{value:.{DIGITS}g}"
    return text.replace("-", "−") if float(text) else "0"


def signed(value: float) -> str:
    """Put negative numbers in brackets."""
    text = format_number(value)
    return f"({text})" if text.startswith("−") else text


def products(left: Sequence[float], right: Sequence[float]) -> list[str]:
    """Terms such as 2 × 3."""
    pairs = list(zip(left, right, strict=True))
    terms = [
        f"{signed(a) if at else format_number(a)} × {signed(b)}"
        for at, (a, b) in enumerate(pairs[:SHOWN_TERMS])
    ]
    more = [f"… ({len(pairs) - SHOWN_TERMS} more)"] if len(pairs) > SHOWN_TERMS else []
    return terms + more


def total(terms: Sequence[str]) -> str:
    return " + ".join(terms)


def shorten_sum(terms: Sequence[str]) -> str:
    return total(terms if len(terms) <= FIRST_TERMS + 1 else [*terms[:FIRST_TERMS], "…"])


def equation(expression: str, operands: Sequence[float], value: float) -> str:
    """Use ≈ if a number was rounded, else =."""
    exact = all(_is_whole(number_) for number_ in (*operands, value))
    return f"{expression} {'=' if exact else '≈'} {format_number(value)}"


def _is_whole(value: float) -> bool:
    return not np.isfinite(value) or float(f"{value:.{DIGITS}g}") == value
