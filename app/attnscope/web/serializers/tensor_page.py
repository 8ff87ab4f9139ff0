"""Tensors by pages: a model may have a quarter of a million."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from attnscope.web.serializers.ranges import span

MOST = 1000  # tensors in one reply
TensorSpan = Annotated[
    str, Query(description=f"start:end among its tensors; at most {MOST:,} come.")
]


def tensor_page(text: str, total: int) -> slice:
    """Which of a model's tensors a reply lists. Raises InvalidRequest."""
    first, last = span("tensors", text, total)
    return slice(first, min(last, first + MOST))


def counted(listed: slice, total: int) -> dict[str, int]:
    """How many there are, for the reply; nothing where it lists all."""
    return {} if listed == slice(0, total) else {"num_tensors": total}
