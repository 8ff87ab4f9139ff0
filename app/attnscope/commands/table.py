from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attnscope.installed.catalogue import Offer


def columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def offered(offers: Iterable[Offer]) -> Iterator[str]:
    rows = [(offer.name, size(offer.bytes), offer.about) for offer in offers]
    return (f"  {line}" for line in columns(rows))


def size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e6 else f"{count / 1e3:,.1f} KB"
