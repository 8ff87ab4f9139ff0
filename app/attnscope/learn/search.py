"""Search the course for chapters whose texts have every word of a query."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from attnscope.learn.chapters import CHAPTERS
from attnscope.learn.terms import TERMS

LONGEST = 100  # most characters of a query
TITLE, TERM, GOAL, TEXT = 8, 6, 3, 1  # weight of a word by its place
AROUND = 60  # characters of a snippet on each side of the word
CELL = re.compile(r"\[\[cell:[^|]*\|([^\]]*)\]\]")
VALUE = re.compile(r"\{\w+\}")


@dataclass(frozen=True)
class Found:
    """`snippet`: the first prose with a word of the query, cut around that word."""

    chapter: str
    snippet: str


def search(query: str, said: Mapping[str, str], *others: Mapping[str, str]) -> list[Found]:
    """Best first. `said`: messages in the reader's language. `others`: in other languages, searched
    for terms only."""
    words = fold_case(query).split()
    if not words:
        return []
    ranked = []
    for place, (name, texts) in enumerate(_texts(said, others).items()):
        read = [(fold_case(text), weight) for text, weight in texts]
        found = [max((weight for text, weight in read if word in text), default=0)
                 for word in words]  # fmt: skip
        if all(found):
            ranked.append((-sum(found), place, Found(name, _snippet(words, texts))))
    return [found for *_, found in sorted(ranked, key=lambda each: each[:2])]


def fold_case(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _texts(
    said: Mapping[str, str], others: tuple[Mapping[str, str], ...]
) -> dict[str, list[tuple[str, int]]]:
    found = {each.name: [(said[f"learn.{each.name}.title"], TITLE)] for each in CHAPTERS}
    for term, chapters in TERMS.items():
        for name in chapters:
            weight = TERM + (chapters[0] == name)
            found[name] += [(each[f"term.{term}"], weight) for each in (said, *others)]
    for start, weight in (("course.goal.", GOAL), ("course.short.", GOAL), ("learn.", TEXT)):
        for key, text in said.items():
            name = key.removeprefix(start).partition(".")[0]
            if key.startswith(start) and name in found:
                found[name].append((without_markup(text), weight))
    return found


def without_markup(text: str) -> str:
    return VALUE.sub("…", CELL.sub(r"\1", text))


def _snippet(words: list[str], texts: list[tuple[str, int]]) -> str:
    running = [text for text, weight in texts if weight in (GOAL, TEXT)]
    for text in running:
        at = min(
            (place for word in words if (place := fold_case(text).find(word)) >= 0), default=-1
        )
        if at >= 0:
            begin, end = max(0, at - AROUND), at + AROUND
            return ("…" if begin else "") + text[begin:end].strip() + ("…" * (end < len(text)))
    return ""
