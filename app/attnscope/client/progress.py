"""Progress bars of tqdm, if installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
DELAY = 1.0  # seconds


class Bar(Protocol):
    def update(self, more: int) -> Any: ...


class NoBar:
    def update(self, more: int) -> None:
        return


@contextmanager
def bar(doing: str, total: int | None, unit: str, *, delay: float = DELAY) -> Iterator[Bar]:
    """Show a bar after `delay` seconds. `total`: None if unknown."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield NoBar()
        return
    scale = unit == "B"
    with tqdm(
        desc=doing, total=total, unit=unit, unit_scale=scale, delay=delay, leave=False,
        disable=None,
    ) as shown:  # fmt: skip
        yield shown


def tracked(
    items: Iterable[T], doing: str, total: int, unit: str, *, delay: float = DELAY
) -> Iterator[T]:
    with bar(doing, total, unit, delay=delay) as shown:
        for item in items:
            yield item
            shown.update(1)
