"""Which pieces make up a word."""

from __future__ import annotations

import pytest

from attnscope.tokens.word_groups import word_groups


def groups(*pieces: str) -> list[list[int]]:
    """Of pieces that stand one behind the other."""
    ends = [len("".join(pieces[: i + 1])) for i in range(len(pieces))]
    return word_groups("".join(pieces), list(zip([0, *ends], ends, strict=False)))


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        (["un", "believ", "ably", " ", "hetero", "geneous"], [[0, 1, 2], [3, 4, 5]]),
        (["an", "im", "al", " did", "n", "'", "t", "."], [[0, 1, 2], [3, 4, 5, 6], [7]]),
        (["«", "ti", "red", "»"], [[0], [1, 2], [3]]),
        (["3", ".", "14"], [[0], [1], [2]]),
        (["我", "喜欢", "猫"], [[0], [1], [2]]),
        (["สวัส", "ดี"], [[0], [1]]),
        (["हि", "न", "्", "दी"], [[0, 1, 2, 3]]),
        (["שלו", "ם", " עולם"], [[0, 1], [2]]),
        (["a\n", "b"], [[0], [1]]),
        (["e", "\u0301", "t"], [[0, 1, 2]]),
        (["👩", "\u200d", "👧"], [[0, 1, 2]]),
        (["👍", "\U0001f3fd"], [[0, 1]]),
        (["'", "tis"], [[0], [1]]),
    ],
)
def test_pieces_of_one_word_stand_together(pieces: list[str], words: list[list[int]]) -> None:
    assert groups(*pieces) == words


def test_bytes_of_one_character_are_one_word() -> None:
    assert word_groups("🙂!", [(0, 1), (0, 1), (0, 1), (1, 2)]) == [[0, 1, 2], [3]]


def test_a_piece_that_stands_for_no_character_is_alone() -> None:
    assert word_groups("ab", [None, (0, 1), (1, 1), (1, 2)]) == [[0], [1], [2], [3]]
