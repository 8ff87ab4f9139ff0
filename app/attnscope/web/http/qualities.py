from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

REMEMBERED = 256
LONGEST = 272  # characters
QUALITY = re.compile(r"[01](\.\d{0,3})?", re.ASCII)


class Wanted(NamedTuple):
    """`name`: in lower case; `quality`: 1 if missing, 0 if invalid."""

    name: str
    quality: float


def parse_qualities(header: str) -> list[Wanted]:
    """Parse a header such as Accept (RFC 9110, section 12.4.2)."""
    return list(_remembered(header) if len(header) <= LONGEST else _wanted(header))


def _wanted(header: str) -> tuple[Wanted, ...]:
    found = []
    for part in header.lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        given = next((p.removeprefix("q=") for p in parameters if p.startswith("q=")), "1")
        found.append(Wanted(name, float(given) if QUALITY.fullmatch(given) else 0.0))
    return tuple(found)


_remembered = lru_cache(REMEMBERED)(_wanted)
