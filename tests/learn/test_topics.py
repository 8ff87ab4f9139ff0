"""The table of topics in docs/mathematics.md is true: what a row names is in that chapter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from attnscope.learn import BY_NAME
from attnscope.learn.chapter import Chapter
from attnscope.learn.parts import Course, Figure, Measured, Table, Worked

TABLE = Path(__file__).resolve().parents[2] / "docs/mathematics.md"
PLACE = re.compile(r"`/learn/(\w+)`(?:: ((?:`[\w-]+`(?:, )?)+))?")


def rows() -> list[tuple[str, str]]:
    """Topic and page of each row below the heading."""
    section = TABLE.read_text(encoding="utf-8").partition("## Topics")[2]
    cells = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| ")]
    return [(topic.strip(), page) for topic, page in cells[2:] if "**" not in topic]


def shown(chapter: Chapter) -> set[str]:
    """What a chapter shows, by name: figures, tables, worked examples, courses of a model."""
    names: set[str] = set()
    for part in chapter.parts:
        if isinstance(part, Figure | Measured | Table):
            names.add(part.name)
        elif isinstance(part, Worked):
            names.add(part.example)
        elif isinstance(part, Course):
            names.add(part.model)
    return names


def test_a_topic_is_shown_where_the_table_says(subtests: pytest.Subtests) -> None:
    for topic, page in rows():
        with subtests.test(topic):
            places = PLACE.findall(page)
            assert places, f"“{topic}” names no chapter"
            for name, listed in places:
                named = re.findall(r"`([\w-]+)`", listed)
                assert named, (
                    f"“{topic}” names nothing that shows it in {name}: `/learn/{name}`: `figure`"
                )
                assert set(named) <= shown(BY_NAME[name]), topic


def test_every_chapter_has_a_topic() -> None:
    named = {name for _, page in rows() for name, _ in PLACE.findall(page)}
    assert named == BY_NAME.keys(), "add a row to the topics of docs/mathematics.md"
    assert len(rows()) > 40
