"""Open cells are counted without the map, and are as many as the map has."""

from __future__ import annotations

import tracemalloc
from itertools import product

import numpy as np
import pytest

from attnscope.analysis.costs import open_cells
from attnscope.attention.masks import Mask


def test_as_many_as_the_dense_mask_opens(subtests: pytest.Subtests) -> None:
    for causal, n in product((False, True), (1, 2, 5, 13)):
        with subtests.test(causal=causal, n=n):
            places = np.arange(n)
            options = product((None, 1, 3, 20), (0, 1, 4, 20), (None, 1, 3, 20), (None, 1, 4, 20))
            for window, global_tokens, stride, block_size in options:
                mask = Mask(causal, window=window, global_tokens=global_tokens, stride=stride,
                            block_size=block_size)  # fmt: skip
                dense = mask.may_attend(places, places, (n, n))
                assert open_cells(mask, n) == int(dense.sum()), mask


def test_the_longest_text_is_counted_without_a_map() -> None:
    mask = Mask(True, window=64, global_tokens=4, stride=128, block_size=32)
    n = 1 << 17
    tracemalloc.start()
    try:
        assert 0 < open_cells(mask, n) < n * n
        assert tracemalloc.get_traced_memory()[1] < 256 * n
    finally:
        tracemalloc.stop()
