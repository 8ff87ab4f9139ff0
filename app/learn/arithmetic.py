"""Lines of arithmetic as a hand writes them: the worked lines of the exercises."""

from __future__ import annotations

from collections.abc import Iterable


def bracketed(number: float) -> str:
    """A number as it stands in a product: a negative one in brackets."""
    return f"(−{-number:g})" if number < 0 else f"{number:g}"


def products(left: Iterable[float], right: Iterable[float]) -> str:
    """A dot product before it is added up: 2 × 3 + (−1) × 4."""
    pairs = zip(left, right, strict=True)
    return " + ".join(f"{bracketed(a)} × {bracketed(b)}" for a, b in pairs)


def total(numbers: Iterable[float]) -> str:
    """A sum before it is added up: 3 − 2 + 1."""
    first, *others = numbers
    begin = f"{first:g}".replace("-", "−")
    return begin + "".join(f" {'−' if each < 0 else '+'} {abs(each):g}" for each in others)
