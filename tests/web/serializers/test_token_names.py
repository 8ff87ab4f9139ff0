"""Names of tokens in CSV files."""

from __future__ import annotations

from attnscope.web.serializers.files import spelled


def test_a_word_is_spelled_without_the_marks_of_its_pieces() -> None:
    assert spelled(["un", "##do"]) == "undo"
    assert spelled(["##", "a"]) == "##a"
