"""Words of pieces that come without their text."""

from __future__ import annotations

import pytest

from attnscope.tokens.word_groups import marked_groups

CASES = {
    "SentencePiece": (["<s>", "▁The", "▁un", "cat", "ness", ",", "▁don", "'", "t"],
                      [[0], [1], [2, 3, 4], [5], [6, 7, 8]]),
    "a space as a piece": (["▁", "cat", "▁sat"], [[0, 1], [2]]),
    "byte-level": (["The", "Ġun", "cat", "Ċ", "A", "Ġ1", "2"], [[0], [1, 2], [3], [4], [5, 6]]),
    "byte-level Chinese": (["Ġcat", "æĪĳ", "çĪ±çĮ«"], [[0], [1], [2]]),
    "bytes of an emoji": (["Ġhi", "ĠðŁ", "ĺ", "Ģ"], [[0], [1, 2, 3]]),
    "bytes that are no text": (["Ġa", "ĺ", "b"], [[0], [1], [2]]),
    "WordPiece": (["[CLS]", "un", "##cat", "##s", ".", "[SEP]"], [[0], [1, 2, 3], [4], [5]]),
    "no marks": (["The", "cat", "The"], [[0], [1], [2]]),
    "Chinese": (["▁我", "爱", "猫"], [[0], [1], [2]]),
    "empty texts": (["", "▁a", "", "b"], [[0], [1], [2], [3]]),
    "marks alone": (["##", "Ġ", "▁"], [[0], [1], [2]]),
}  # fmt: skip


def test_pieces_of_a_word_are_joined(subtests: pytest.Subtests) -> None:
    for name, (tokens, groups) in CASES.items():
        with subtests.test(name):
            assert marked_groups(tokens) == groups
