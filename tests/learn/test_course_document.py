"""docs/course.md names chapters that exist, and in them what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from attnscope.learn import BY_NAME
from attnscope.learn.errata import DOCUMENTS
from attnscope.learn.parts import Lines, Prose
from tests.learn.test_topics import PLACE, shown

TEXT = (Path(__file__).resolve().parents[2] / "docs/course.md").read_text(encoding="utf-8")
# A section and where it is taught; a row may go on in the next line.
ROWS = re.findall(r"^- (.+?): (`/learn/.+(?:\n  .+)*)", TEXT, re.MULTILINE)


def named(name: str) -> set[str]:
    """What the table may name in a chapter: what it shows, paragraphs, lines, exercises."""
    chapter = BY_NAME[name]
    parts = {part.key for part in chapter.parts if isinstance(part, Prose)}
    lines = {part.name for part in chapter.parts if isinstance(part, Lines)}
    return shown(chapter) | parts | lines | {make.__name__ for make in chapter.exercises}


def test_a_section_is_taught_where_the_table_says(subtests: pytest.Subtests) -> None:
    assert len(ROWS) == TEXT.count("\n- ")
    for section, taught in ROWS:
        with subtests.test(section):
            places = PLACE.findall(taught)
            assert places
            for name, listed in places:
                assert set(re.findall(r"`([\w-]+)`", listed)) <= named(name)


def test_every_document_has_a_table_of_a_reasonable_length() -> None:
    assert TEXT.count("\n## ") == len(DOCUMENTS)
    assert len(TEXT.split()) <= 900
