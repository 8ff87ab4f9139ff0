"""Masks: a zero in place of −∞ leaks, and a closed cell does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attnscope.attention.masks import Mask
from attnscope.learn.chapter_text import chapter_text
from attnscope.learn.chapters.masks import LEAKING, PADDED, closed_row
from attnscope.learn.chapters.scores import first_row, given_scores
from attnscope.learn.exercises import compute_trace, stage


def test_zeros_get_the_largest_weights_of_the_first_rows_and_a_mask_takes_them_away() -> None:
    leaking, closed = (stage({**LEAKING, "causal": on}, "weights")[0] for on in (False, True))
    ahead = np.triu(np.ones((5, 5), bool), 1)
    for row in range(4):
        assert leaking[row, ahead[row]].min() > leaking[row, ~ahead[row]].max()
    assert not closed[ahead].any()


def test_a_query_of_padding_has_a_row_of_zeros() -> None:
    weights = compute_trace(PADDED).layers[0]["weights"][1]
    assert not weights[:, 2:].any()
    assert not weights[:, :, 2:].any()


def test_the_row_put_right_in_the_text_is_computed() -> None:
    row = stage(given_scores(first_row([0.32, 0.04])), "weights")[0, 0]
    np.testing.assert_array_equal(row.round(2), [0.57, 0.43])
    assert round(float(np.log(0.52 / 0.48)), 2) == 0.08


def test_a_row_of_nothing_is_no_number_as_written_and_zeros_here() -> None:
    assert [row[1:] for row in closed_row()] == [["−∞", "NaN", "0", "0.333"]] * 3


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "A cell is open if every mask opens it; the patterns (window, global tokens, "
               "stride, blocks) count as one mask, which opens a cell if at least one of them "
               "does."),
        ("zh", "所有掩码都开放的单元格才开放；各种模式（窗口、全局词元、步幅、块）"
               "合起来算一个掩码，只要有一种模式开放，它就开放。"),
    ],
)  # fmt: skip
def test_three_chapters_say_the_same_of_how_masks_combine(language: str, sentence: str) -> None:
    for name in ("masks", "costs", "variants"):
        assert any(sentence in text for text in chapter_text(name, language).messages.values())


def test_masks_close_together_and_patterns_open_together() -> None:
    places = np.arange(9)

    def opened(**options: Any) -> np.ndarray:
        return Mask(**options).may_attend(places, places, (9, 9))

    window, strided = opened(window=2), opened(stride=4)
    np.testing.assert_array_equal(opened(window=2, stride=4), window | strided)
    causal = opened(causal=True)
    both = opened(causal=True, window=2, stride=4)
    np.testing.assert_array_equal(both, causal & (window | strided))
