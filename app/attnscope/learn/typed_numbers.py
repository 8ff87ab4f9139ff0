"""Numbers as people type them: 6,400, 6 400, 0,05, 5 %, − 10, １２, ½, 1 1/2, 1e-3, 2 × 10⁻³."""

from __future__ import annotations

import math
import re
import unicodedata

# NFKC keeps these signs, and turns ½ into 1⁄2.
PLAIN = str.maketrans({"−": "-", "–": "-", "—": "-", "。": ".", "⁄": "/", "’": "'"})
RAISED = re.compile("[⁰¹²³⁴-⁹₀-₉]")  # NFKC would read 10² as 102
TIMES_POWER = re.compile(r"([^/]*\d)\s*[×*·⋅x]\s*10(?:\^\s*([+−-]?\d+)|([⁺⁻]?[⁰¹²³⁴-⁹]+))\s*")
BEFORE_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
MIXED = re.compile(r"([+-]?) ?(\d+) (\d+ ?/ ?\d+)")
DECIMAL = re.compile(r"\d+(?:[.,]\d*)?(?:[eE][+-]?\d+)?|[.,]\d+(?:[eE][+-]?\d+)?")
# One mark separates groups of three digits, another the decimals: 6,400 and 1.234.567,8
GROUPED = re.compile(r"[1-9]\d{0,2}(?:([,. '])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d+)?")


def readings(given: str, *, percent: float | None = None) -> tuple[float, ...]:
    """The finite numbers that a text can mean.

    A comma or point before three digits may separate thousands or decimals: both are returned.
    `percent`: the factor for "%", or None to refuse it.
    """
    if power := TIMES_POWER.fullmatch(given):
        given = power[1] + _exponent(power[2] or power[3])
    if RAISED.search(given):
        return ()
    text = unicodedata.normalize("NFKC", BEFORE_FRACTION.sub(" ", given)).translate(PLAIN)
    text = " ".join(text.split())
    factor = 1.0
    if text.endswith("%"):
        if percent is None:
            return ()
        text, factor = text[:-1].rstrip(), percent
    found = (value * factor for value in _values(text))
    return tuple(value for value in found if math.isfinite(value))


def _exponent(power: str) -> str:
    """e-3 for the exponents −3 and ⁻³."""
    return "e" + unicodedata.normalize("NFKC", power).replace("−", "-")


def _values(text: str) -> list[float]:
    if mixed := MIXED.fullmatch(text):
        sign = -1 if mixed[1] == "-" else 1
        return [sign * (float(mixed[2]) + part) for part in _values(mixed[3])]
    above, slash, below = text.partition("/")
    if not slash:
        return _signed(above)
    return [a / b for a in _signed(above.strip()) for b in _signed(below.strip()) if b]


def _signed(text: str) -> list[float]:
    sign = -1.0 if text.startswith("-") else 1.0
    digits = text.removeprefix("-" if sign < 0 else "+").lstrip()
    found = []
    if DECIMAL.fullmatch(digits):
        found.append(float(digits.replace(",", ".")))
    if grouped := GROUPED.fullmatch(digits):
        found.append(float(digits.replace(grouped[1], "").replace(",", ".")))
    return [sign * value for value in found if math.isfinite(value)]
