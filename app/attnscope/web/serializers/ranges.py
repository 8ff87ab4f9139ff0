from __future__ import annotations

import re
from typing import Annotated

from fastapi import Query

from attnscope.errors import InvalidRequest

MOST_TENSORS = 1000
TensorSpan = Annotated[
    str, Query(description=f"start:end among its tensors; at most {MOST_TENSORS:,} are returned.")
]
SPAN = re.compile(r"\s*(\d{0,12})\s*:\s*(\d{0,12})\s*", re.ASCII)


def span(name: str, text: str, size: int) -> tuple[int, int]:
    """Parse "2:5", clipped to `size`. Raises InvalidRequest, also if empty."""
    span = SPAN.fullmatch(text)
    if span is None:
        raise InvalidRequest("not_a_span", at=name, given=text[:40])
    start, end = span.groups()
    first, last = int(start or 0), min(int(end or size), size)
    if first >= last:
        raise InvalidRequest("empty_span", at=name, given=text[:40], size=size)
    return first, last


def tensor_page(text: str, total: int) -> slice:
    first, last = span("tensors", text, total)
    return slice(first, min(last, first + MOST_TENSORS))


def counted(listed: slice, total: int) -> dict[str, int]:
    return {} if listed == slice(0, total) else {"num_tensors": total}
