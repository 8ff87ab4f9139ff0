"""Lists of numbers out of a request: what is taken, and what is refused with its place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from attnscope.errors import AttnscopeError
from attnscope.trace.numbers import to_array
from attnscope.trace.question import Question

MATRIX = [[1, 0], [0, 1]]


def nested(depth: int) -> Any:
    return 1.0 if depth == 0 else [nested(depth - 1)]


NO_MATRIX = [
    ("12", "invalid_request", "not_a_list"),
    (3, "invalid_request", "not_a_list"),
    ({"0": 1}, "invalid_request", "not_a_list"),
    ([], "invalid_request", "empty_array"),
    ([[1, 2], [3]], "shape_mismatch", "ragged"),
    ([[1, 2], 3], "shape_mismatch", "ragged"),
    ([[1, "2"]], "invalid_request", "not_numbers"),
    ([["a", "b"]], "invalid_request", "not_numbers"),
    ([[1, None]], "invalid_request", "not_numbers"),
    ([[True, False]], "invalid_request", "not_numbers"),
    ([[1.0, True]], "invalid_request", "not_numbers"),
    ([[10**400]], "invalid_request", "not_numbers"),
    ([1.0, 2.0], "shape_mismatch", "wrong_rank"),
    ([[[1.0]]], "shape_mismatch", "wrong_rank"),
    (nested(70), "shape_mismatch", "wrong_rank"),
    ([[]], "shape_mismatch", "empty_rows"),
    ([[], []], "shape_mismatch", "empty_rows"),
    ([[[]]], "shape_mismatch", "wrong_rank"),
    ([[1.0, math.nan]], "non_finite", "in_request"),
    ([[1.0, -math.inf]], "non_finite", "in_request"),
]


def test_what_is_no_matrix_is_refused(subtests: pytest.Subtests) -> None:
    for value, code, reason in NO_MATRIX:
        with subtests.test(value=value, code=code):
            with pytest.raises(AttnscopeError) as error:
                to_array(value, "model.w_q", (2,))
            refused = error.value
            assert (refused.code, refused.reason, refused.at) == (code, reason, "model.w_q")


def test_a_matrix_of_whole_numbers_is_float64_and_cannot_be_changed() -> None:
    array = to_array([[1, 2], [3, 4]], "x", (2, 3))
    assert array.dtype == np.float64
    assert array.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert not array.flags.writeable


def test_the_place_in_the_request_is_named(subtests: pytest.Subtests) -> None:
    cases = [
        ({"x": [[1], [2, 3]]}, "x"),
        (
            {"model": {"source": "explicit", "w_q": MATRIX, "w_k": [[1], []], "w_v": MATRIX}},
            "model.w_k",
        ),
        (
            {"model": {"source": "explicit", "w_q": MATRIX, "w_k": MATRIX, "w_v": MATRIX,
                       "b_v": [[1], [2, 3]]}},
            "model.b_v",
        ),
    ]  # fmt: skip
    for body, at in cases:
        with subtests.test(body=body):
            with pytest.raises(AttnscopeError) as error:
                Question.model_validate(body)
            assert (error.value.reason, error.value.at) == ("ragged", at)
