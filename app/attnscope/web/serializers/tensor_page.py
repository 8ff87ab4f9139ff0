from __future__ import annotations

from typing import Annotated

from fastapi import Query

from attnscope.web.serializers.ranges import span

MOST = 1000
TensorSpan = Annotated[
    str, Query(description=f"start:end among its tensors; at most {MOST:,} are returned.")
]


def tensor_page(text: str, total: int) -> slice:
    """Raises InvalidRequest."""
    first, last = span("tensors", text, total)
    return slice(first, min(last, first + MOST))


def counted(listed: slice, total: int) -> dict[str, int]:
    """The number of tensors, left out if all are listed."""
    return {} if listed == slice(0, total) else {"num_tensors": total}
