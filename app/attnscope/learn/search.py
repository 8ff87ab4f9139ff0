"""Search over the course: chapters whose texts have every word of a query."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from attnscope.learn.chapters import CHAPTERS
from attnscope.learn.terms import TERMS

LONGEST = 100  # characters of a query
TITLE, TERM, GOAL, TEXT = 8, 6, 3, 1  # what a word counts by where it stands
AROUND = 60  # characters of a snippet before and after
CELL = re.compile(r"\[\[cell:[^|]*\|([^\]]*)\]\]")
VALUE = re.compile(r"\{\w+\}")


@dataclass(frozen=True)
class Found:
    """And the first place that has a word of the query."""

    chapter: str
    snippet: str


def search(query: str, said: Mapping[str, str], *others: Mapping[str, str]) -> list[Found]:
    """The best first. `said`: the reader's messages; terms are also found in `others`."""
    words = folded(query).split()
    if not words:
        return []
    ranked = []
    for place, chapter in enumerate(CHAPTERS):
        texts = _texts(chapter.name, said, others)
        found = [max((weight for text, weight in texts if word in folded(text)), default=0)
                 for word in words]  # fmt: skip
        if all(found):
            ranked.append((-sum(found), place, Found(chapter.name, _snippet(words, texts))))
    return [found for *_, found in sorted(ranked, key=lambda each: each[:2])]


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _texts(
    name: str, said: Mapping[str, str], others: tuple[Mapping[str, str], ...]
) -> list[tuple[str, int]]:
    terms = {term: TERM + (chapters[0] == name) for term, chapters in TERMS.items()
             if name in chapters}  # fmt: skip
    found = [(said[f"learn.{name}.title"], TITLE)]
    found += [
        (each[f"term.{term}"], weight) for each in (said, *others) for term, weight in terms.items()
    ]
    for start, weight in ((f"course.goal.{name}.", GOAL), (f"course.short.{name}.", GOAL),
                          (f"learn.{name}.", TEXT)):  # fmt: skip
        found += [(plain(text), weight) for key, text in said.items() if key.startswith(start)]
    return found


def plain(text: str) -> str:
    """Without markup, "…" in place of values."""
    return VALUE.sub("…", CELL.sub(r"\1", text))


def _snippet(words: list[str], texts: list[tuple[str, int]]) -> str:
    running = [text for text, weight in texts if weight in (GOAL, TEXT)]
    for text in running:
        at = min((place for word in words if (place := folded(text).find(word)) >= 0), default=-1)
        if at >= 0:
            begin, end = max(0, at - AROUND), at + AROUND
            return ("…" if begin else "") + text[begin:end].strip() + ("…" * (end < len(text)))
    return ""
