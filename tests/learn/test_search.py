"""Search over the course, and the index of terms."""

from __future__ import annotations

import pytest

from attnscope.learn import BY_NAME
from attnscope.learn.search import search
from attnscope.learn.terms import OF_STAGE, TERMS
from attnscope.trace.stages import BY_NAME as STAGES
from tests.test_repo import messages


def first(query: str, language: str = "en") -> str | None:
    other = "zh" if language == "en" else "en"
    found = search(query, messages(language), messages(other))
    return found[0].chapter if found else None


def test_a_topic_is_found_by_its_name_in_either_language(subtests: pytest.Subtests) -> None:
    for query, chapter in {
        "softmax": "softmax", "ＳＯＦＴＭＡＸ": "softmax", "induction head": "habits",
        "kv cache": "decoding", "RoPE": "positions", "library": "library", "掩码": "masks",
        "双线性型": "only_m", "null space": "singular_values",
    }.items():  # fmt: skip
        with subtests.test(query):
            assert first(query) == first(query, "zh") == chapter
    assert first("") is first("  ") is first("no such topic") is None


def test_what_is_found_is_shown_without_markup() -> None:
    for found in search("cell", messages("en")):
        assert not set("{}[|") & set(found.snippet.replace("[i", "").replace("[j", ""))


def test_every_chapter_has_a_term_and_every_stage_a_chapter() -> None:
    explained = {name for chapters in TERMS.values() for name in chapters}
    assert explained == BY_NAME.keys(), "name a term in the front matter of the chapter"
    assert OF_STAGE.keys() <= STAGES.keys()
    assert set(OF_STAGE.values()) <= BY_NAME.keys()
