from __future__ import annotations

import re

from attnscope.errors import InvalidRequest

SPAN = re.compile(r"\s*(\d{0,12})\s*:\s*(\d{0,12})\s*", re.ASCII)


def span(name: str, text: str, size: int) -> tuple[int, int]:
    """ "2:5" → (2, 5), clipped as in numpy. Raises InvalidRequest."""
    span = SPAN.fullmatch(text)
    if span is None:
        raise InvalidRequest("not_a_span", at=name, given=text[:40])
    start, end = span.groups()
    first, last = int(start or 0), min(int(end or size), size)
    if first >= last:
        raise InvalidRequest("empty_span", at=name, given=text[:40], size=size)
    return first, last
