"""Format lines of arithmetic for the worked solutions of exercises."""

from __future__ import annotations

from collections.abc import Iterable


def bracketed(number: float) -> str:
    """A number as a factor: negative ones in brackets."""
    return f"(−{-number:g})" if number < 0 else f"{number:g}"


def products(left: Iterable[float], right: Iterable[float]) -> str:
    """A dot product, unevaluated: 2 × 3 + (−1) × 4."""
    pairs = zip(left, right, strict=True)
    return " + ".join(f"{bracketed(a)} × {bracketed(b)}" for a, b in pairs)


def total(numbers: Iterable[float]) -> str:
    """A sum, unevaluated: 3 − 2 + 1."""
    first, *others = numbers
    begin = f"{first:g}".replace("-", "−")
    return begin + "".join(f" {'−' if each < 0 else '+'} {abs(each):g}" for each in others)
