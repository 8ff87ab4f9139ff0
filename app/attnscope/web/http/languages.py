from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from fastapi import Request

from attnscope.web.http.qualities import parse_qualities
from attnscope.web.texts import DEFAULT


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
