from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache, partial
from typing import NamedTuple

from fastapi import Request

from attnscope.web.texts import DEFAULT

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


def language_of(request: Request) -> str:
    """`?lang=` precedes Accept-Language."""
    languages: Collection[str] = request.app.state.catalogue.languages
    chosen = request.query_params.get("lang", "")
    if chosen in languages:
        return chosen
    return preferred(languages, request.headers.get("accept-language"))


def sayer(request: Request) -> Callable[..., str]:
    return partial(request.app.state.catalogue.say, language_of(request))


def preferred(languages: Collection[str], accept_language: str | None) -> str:
    """Choose by Accept-Language (RFC 9110, section 12.5.4)."""
    for tag in sorted(parse_qualities(accept_language or ""), key=lambda tag: -tag.quality):
        language = tag.name.split("-")[0]
        if tag.quality > 0 and language in languages:
            return language
    return DEFAULT
