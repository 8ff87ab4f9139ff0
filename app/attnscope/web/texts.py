"""Messages in `static/locales/<language>/*.json`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import orjson

DEFAULT = "en"


@cache
def sentences_in(folder: Path) -> dict[str, dict[str, str]]:
    """{language: {key: sentence}}."""
    languages: dict[str, dict[str, str]] = {}
    for path in sorted(folder.glob("*/*.json")):
        languages.setdefault(path.parent.name, {}).update(orjson.loads(path.read_bytes()))
    return languages


class Catalogue:
    """Placeholders are {name}."""

    def __init__(self, folder: Path) -> None:
        self.languages = sentences_in(folder)

    def say(self, language: str, key: str, values: Mapping[str, object] | None = None) -> str:
        """In English if untranslated, else the key."""
        sentence = self.languages.get(language, {}).get(key)
        if sentence is None:
            sentence = self.languages[DEFAULT].get(key, key)
        return sentence.format_map(values or {})
