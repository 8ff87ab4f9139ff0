"""Sentences: one catalogue a language, from `static/locales/<language>/*.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson

DEFAULT = "en"


class Catalogue:
    """{language: {key: sentence}}; a sentence has its values as {name}."""

    def __init__(self, folder: Path) -> None:
        self.languages: dict[str, dict[str, str]] = {}
        for path in sorted(folder.glob("*/*.json")):
            self.languages.setdefault(path.parent.name, {}).update(orjson.loads(path.read_bytes()))

    def say(self, language: str, key: str, values: Mapping[str, object] | None = None) -> str:
        """The sentence of a key; a key without a sentence is told as it is."""
        sentence = self.languages.get(language, {}).get(key)
        if sentence is None:
            sentence = self.languages[DEFAULT].get(key, key)
        return sentence.format_map(values or {})

    def choose(self, accept_language: str | None) -> str:
        """The first language of an Accept-Language header that there is; English otherwise."""
        for tag in _by_preference(accept_language or ""):
            language = tag.split("-")[0]
            if language in self.languages:
                return language
        return DEFAULT


def _by_preference(header: str) -> list[str]:
    """Language tags, most wanted first (RFC 9110, section 12.5.4); q=0 is not wanted."""
    wanted: list[tuple[float, str]] = []
    for part in header.lower().split(","):
        tag, _, rest = part.strip().partition(";")
        quality = rest.strip().removeprefix("q=") or "1"
        try:
            wanted.append((float(quality), tag.strip()))
        except ValueError:
            continue
    return [tag for q, tag in sorted(wanted, key=lambda one: -one[0]) if q > 0]
