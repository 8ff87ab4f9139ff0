"""Streams are those of numpy's own SeedSequence, however their numbers are handed over."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.weights.schemes import stream_of


def test_a_stream_is_that_of_its_seed_sequence(subtests: pytest.Subtests) -> None:
    cases = [(0,), (0, 0, 0), (7, 1, 2), (2**32 - 1, 2**32), (2**53 - 1, 0, 5), (3, *range(9, 18))]
    for numbers in cases:
        with subtests.test(numbers=numbers):
            expected = np.random.Generator(np.random.PCG64(np.random.SeedSequence(numbers)))
            np.testing.assert_array_equal(stream_of(*numbers).random(4), expected.random(4))
