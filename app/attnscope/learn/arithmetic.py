"""Format numbers and lines of arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

ROUNDING = 1e-9  # smaller differences are rounding errors


def symbol(name: str) -> str:
    """Name of a matrix in formulas: W_Q for w_q."""
    return name.upper() if name.startswith("w_") else name


def signed(number: float) -> str:
    return f"{number:g}".replace("-", "−")


def bracketed(number: float) -> str:
    return f"(−{-number:g})" if number < 0 else f"{number:g}"


def products(left: Iterable[float], right: Iterable[float]) -> str:
    """2 × 3 + (−1) × 4"""
    pairs = zip(left, right, strict=True)
    return " + ".join(f"{bracketed(a)} × {bracketed(b)}" for a, b in pairs)


def total(numbers: Iterable[float]) -> str:
    """3 − 2 + 1"""
    first, *others = numbers
    return signed(first) + "".join(f" {'−' if each < 0 else '+'} {abs(each):g}" for each in others)


def decimal(number: float, decimals: int = 2) -> str:
    """Fixed decimals with the sign −; rounding errors become 0."""
    if abs(number) < ROUNDING:
        return "0"
    return f"{number:.{decimals}f}".replace("-", "−")


def at_most(number: float) -> str:
    """Round up to two decimals."""
    return decimal(math.ceil(number * 100) / 100)


def at_least(number: float) -> str:
    """Round down to two decimals."""
    return decimal(math.floor(number * 100) / 100)


def listed(row: Iterable[float], decimals: int = 2) -> str:
    return ", ".join(decimal(number, decimals) for number in row)


def with_chinese_commas(values: Mapping[str, str]) -> dict[str, str]:
    """Lists of numbers as in Chinese prose; pairs in brackets stay."""
    return {
        name: text if text.startswith("(") else text.replace(", ", "、").replace("; ", "；")
        for name, text in values.items()
    }


def shape(array: np.ndarray) -> str:
    return " × ".join(map(str, array.shape))


def largest_difference(one: np.ndarray, other: np.ndarray) -> str:
    return decimal(float(np.abs(one - other).max()))
