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
        (["می", "\u200c", "خواهم"], [[0, 1, 2]]),
        (["soft\u00ad", "hy", "phen"], [[0, 1, 2]]),
        (["no", "\u200b", "thing"], [[0], [1], [2]]),
        (["עולם", "\u200f", "!", " ", "\u200e", "ok"], [[0, 1], [2], [3], [4], [5]]),
        (["(", "\u2067", "x"], [[0, 1], [2]]),
        (["צה", "״", "ל"], [[0, 1, 2]]),
        (["🇩", "🇪", "🇫", "🇷"], [[0, 1], [2, 3]]),
        (["🏴", "\U000e0067", "\U000e0062", "\U000e007f"], [[0, 1, 2, 3]]),
        (["ﾊﾝ", "ｶｸ", "二", "〇", "〇"], [[0], [1], [2], [3], [4]]),
    ],
)
def test_pieces_of_one_word_stand_together(pieces: list[str], words: list[list[int]]) -> None:
    assert groups(*pieces) == words


def test_bytes_of_one_character_are_one_word() -> None:
    assert word_groups("🙂!", [(0, 1), (0, 1), (0, 1), (1, 2)]) == [[0, 1, 2], [3]]


def test_characters_that_the_tokenizer_drops_part_no_word() -> None:
    """As accents in BERT, or letters without a piece."""
    assert word_groups("Vie\u0323\u0302t x", [(0, 1), (1, 3), (5, 6), (7, 8)]) == [[0, 1, 2], [3]]
    assert word_groups("नमस्ते", [(0, 1), (1, 2), (2, 3), (4, 5)]) == [[0, 1, 2, 3]]
    assert word_groups("a b, c", [(0, 1), (2, 3), (5, 6)]) == [[0], [1], [2]]


def test_a_piece_that_stands_for_no_character_is_alone() -> None:
    assert word_groups("ab", [None, (0, 1), (1, 1), (1, 2)]) == [[0], [1], [2], [3]]
