"""Formulas as MathML."""

from __future__ import annotations

import re
from functools import lru_cache

from latex2mathml.converter import convert

# A prime has its height in its glyph already: as an exponent it would be raised once more.
PRIME = "<mi>&#x02032;</mi>"
LETTER = r"<mi[^>]*>[^<]*</mi>"
PRIMED = re.compile(rf"<msup>({LETTER}){PRIME}</msup>")
PRIMED_BELOW = re.compile(rf"<msubsup>({LETTER})((?:(?!<msubsup>).)*?){PRIME}</msubsup>")
BESIDE = "<mrow>\\1<mo>&#x02032;</mo></mrow>"


@lru_cache(1024)  # half a millisecond each
def typeset(latex: str, display: str = "inline") -> str:
    """A formula as MathML, its primes beside their letters."""
    mathml = PRIMED.sub(BESIDE, convert(latex, display=display))
    return PRIMED_BELOW.sub(rf"<msub>{BESIDE}\2</msub>", mathml)
