"""Progress of long work: bars of tqdm, if it is installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
DELAY = 1.0  # seconds of work before a bar is drawn


class Bar(Protocol):
    def update(self, more: int) -> Any: ...


class NoBar:
    """Where tqdm is not installed."""

    def update(self, more: int) -> None:
        return


@contextmanager
def bar(doing: str, total: int | None, unit: str) -> Iterator[Bar]:
    """A bar that goes away with the work; none where standard error is neither a terminal nor a
    notebook. `total` is None if it is not known; bytes ("B") are counted in KB and MB."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield NoBar()
        return
    scale = unit == "B"
    with tqdm(
        desc=doing, total=total, unit=unit, unit_scale=scale, delay=DELAY, leave=False,
        disable=None,
    ) as shown:  # fmt: skip
        yield shown


def tracked(items: Iterable[T], doing: str, total: int, unit: str) -> Iterator[T]:
    """The items, with a bar that counts them."""
    with bar(doing, total, unit) as shown:
        for item in items:
            yield item
            shown.update(1)
