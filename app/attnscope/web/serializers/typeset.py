from __future__ import annotations

import re
from functools import lru_cache

from latex2mathml.converter import convert

# The prime sign is raised already: as an exponent it would be too high.
PRIME = "<mi>&#x02032;</mi>"
LETTER = r"<mi[^>]*>[^<]*</mi>"
PRIMED = re.compile(rf"<msup>({LETTER}){PRIME}</msup>")
PRIMED_BELOW = re.compile(rf"<msubsup>({LETTER})((?:(?!<msubsup>).)*?){PRIME}</msubsup>")
BESIDE = "<mrow>\\1<mo>&#x02032;</mo></mrow>"


@lru_cache(1024)  # 0.5 ms each
def typeset(latex: str, display: str = "inline") -> str:
    mathml = PRIMED.sub(BESIDE, convert(latex, display=display))
    return PRIMED_BELOW.sub(rf"<msub>{BESIDE}\2</msub>", mathml)
