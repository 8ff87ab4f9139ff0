"""The shapes that functions of the engine are annotated with are held while tests run."""

from __future__ import annotations

import numpy as np
import pytest
from beartype.roar import BeartypeCallHintViolation

from attnscope.attention.attend import merge_heads, split_heads
from attnscope.attention.products import project


def test_an_array_with_other_axes_is_refused() -> None:
    assert split_heads(np.zeros((1, 3, 4)), 2).shape == (1, 2, 3, 2)
    with pytest.raises(BeartypeCallHintViolation):
        split_heads(np.zeros((3, 4)), 2)
    with pytest.raises(BeartypeCallHintViolation):
        merge_heads(np.zeros((2, 3, 2)))


def test_an_axis_of_one_name_has_one_size() -> None:
    assert project(np.zeros((1, 3, 4)), np.zeros((4, 2)), None).shape == (1, 3, 2)
    with pytest.raises(BeartypeCallHintViolation):
        project(np.zeros((1, 3, 4)), np.zeros((4, 2)), np.zeros(3))
