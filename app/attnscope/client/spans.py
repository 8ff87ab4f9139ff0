from __future__ import annotations

from operator import index
from types import EllipsisType
from typing import NamedTuple, TypeAlias

from attnscope.client.problem import Problem, invalid

Span: TypeAlias = "slice | range | int | tuple[int, int] | str | None"


class Window(NamedTuple):
    """`text`: span to request. `take`: index of the wanted part of the reply."""

    text: str
    take: slice | int | list[int]


def counts_from_end(given: Span) -> bool:
    if isinstance(given, tuple):
        return any(end < 0 for end in given)
    if isinstance(given, slice):
        ends = (given.start, given.stop, given.step)
        return any(end is not None and end < 0 for end in ends)
    return hasattr(given, "__index__") and index(given) < 0  # type: ignore[arg-type]


def window_of(name: str, given: Span | EllipsisType, size: int | None = None) -> Window:
    """A number drops its axis, as in numpy. Negative numbers need `size`. Raises Problem."""
    if given is None or given is Ellipsis:
        return Window(":", slice(None))
    if isinstance(given, str):
        return Window(given, slice(None))
    if isinstance(given, tuple) and len(given) == 2:
        given = slice(*given)
    if isinstance(given, slice):
        if size is None:
            start, stop = ("" if end is None else index(end) for end in (given.start, given.stop))
            return Window(f"{start}:{stop}", slice(None, None, given.step))
        given = range(*given.indices(size))
    if isinstance(given, range):
        return _of_range(name, given)
    if hasattr(given, "__index__"):
        at = index(given) if size is None else from_start(name, index(given), size)
        return Window(f"{at}:{at + 1}", 0)
    raise _wrong(name, f"{given!r} is no span")


def from_start(name: str, given: int, size: int) -> int:
    """Resolve a negative index. Raises Problem below −size."""
    if given < -size:
        detail = f"{name} is {given}: it runs from 0 to {size - 1}, or from {-size} to -1."
        raise invalid(detail, name)
    return given + size if given < 0 else given


def _of_range(name: str, given: range) -> Window:
    if not given or min(given) < 0:
        raise _wrong(name, f"{given} holds nothing that is there")
    first = min(given)
    return Window(f"{first}:{max(given) + 1}", [at - first for at in given])


def _wrong(name: str, what: str) -> Problem:
    detail = f"{name}: {what}. Give a slice such as slice(0, 64), a number, or None for all."
    return invalid(detail, name)
