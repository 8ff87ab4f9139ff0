"""Messages in `static/locales/<language>/*.json`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import orjson

DEFAULT = "en"
SINGULAR = {"en"}  # languages with a singular
FORMS = re.compile(r"\{(\w+)\|([^|}]*)\|([^|}]*)\}")


@cache
def sentences_in(folder: Path) -> dict[str, dict[str, str]]:
    """{language: {key: sentence}}."""
    languages: dict[str, dict[str, str]] = {}
    for path in sorted(folder.glob("*/*.json")):
        languages.setdefault(path.parent.name, {}).update(orjson.loads(path.read_bytes()))
    return languages


def plural(language: str, number: object) -> str:
    """CLDR's plural category: "one" or "other"."""
    return "one" if language in SINGULAR and str(number) == "1" else "other"


def filled(language: str, sentence: str, values: Mapping[str, object]) -> str:
    """{name|row|rows} becomes `row` in the singular, else `rows`."""

    def form(found: re.Match[str]) -> str:
        name, one, other = found.groups()
        return one if plural(language, values[name]) == "one" else other

    return FORMS.sub(form, sentence).format_map(values)


class Catalogue:
    """`others`: more sentences, by language."""

    def __init__(
        self, folder: Path, others: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    ) -> None:
        self.languages = {
            language: {**sentences, **others.get(language, {})}
            for language, sentences in sentences_in(folder).items()
        }

    def say(self, language: str, key: str, values: Mapping[str, object] | None = None) -> str:
        """The sentence, in English if not translated; the key if missing."""
        sentence = self.languages.get(language, {}).get(key)
        if sentence is None:
            language, sentence = DEFAULT, self.languages[DEFAULT].get(key, key)
        return filled(language, sentence, values or {})
