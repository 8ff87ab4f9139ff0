"""The shapes that functions of the engine are annotated with are held while tests run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import Float

from attnscope.attention.attend import merge_heads, split_heads
from attnscope.attention.products import project
from tests.shapes import checked, kind


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


def test_a_result_of_another_shape_is_refused_though_its_arguments_were_seen() -> None:
    results: Iterator[Any] = iter(
        [np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 4)), [np.zeros((2, 3))]]
    )

    @checked
    def given(a: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        return next(results)

    given(np.zeros((2, 3)))
    given(np.zeros((2, 3)))
    for _ in range(2):
        with pytest.raises(BeartypeCallHintViolation):
            given(np.zeros((2, 3)))


def test_arguments_of_one_kind_say_the_same_to_annotations() -> None:
    a, b = np.zeros((2, 3)), np.ones((2, 3))
    assert kind(([a], {"b": (b, 3, "x")})) == kind(([b], {"b": (a, 4, "x")}))
    others = [a[0], a.astype(np.float32), a > 0, [a], (a,), {"a": a}, {"b": a}, None, 1, 2, 1.0,
              True, "a", "b", {1}, [a, b], a.tolist()]  # fmt: skip
    assert len({kind(each) for each in [a, *others]}) == len(others) + 1
