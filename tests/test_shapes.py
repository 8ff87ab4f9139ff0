"""The shapes that functions of the engine are annotated with are held while tests run."""

from __future__ import annotations

import numpy as np
import pytest
from jaxtyping import TypeCheckError

from app.attention.attend import merge_heads, split_heads


def test_an_array_with_other_axes_is_refused() -> None:
    assert split_heads(np.zeros((1, 3, 4)), 2).shape == (1, 2, 3, 2)
    with pytest.raises(TypeCheckError):
        split_heads(np.zeros((3, 4)), 2)
    with pytest.raises(TypeCheckError):
        merge_heads(np.zeros((2, 3, 2)))
