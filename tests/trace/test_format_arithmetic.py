"""Arithmetic written out: it must agree with a calculator, or say that it is rounded."""

from __future__ import annotations

import math
from typing import Any

import pytest

from attnscope.trace.cell_reader import (
    SHOWN_TERMS,
    equation,
    format_number,
    products,
    shorten_sum,
    signed,
    total,
)
from attnscope.trace.stages import BY_NAME


def test_the_sign_says_whether_anything_was_rounded(subtests: pytest.Subtests) -> None:
    cases: list[Any] = [
        ("−1.5 × 0.5", [-1.5, 0.5], -0.75, "−1.5 × 0.5 = −0.75"),
        ("12.497 × 0.25", [12.49712, 0.25], 3.12428, "12.497 × 0.25 ≈ 3.1243"),
        ("2 ÷ 3", [2, 3], 2 / 3, "2 ÷ 3 ≈ 0.66667"),
        ("1 + (−∞)", [1], -math.inf, "1 + (−∞) = −∞"),
    ]
    for expression, operands, value, text in cases:
        with subtests.test(expression):
            assert equation(expression, operands, value) == text


def test_negative_numbers_behind_a_sign_stand_in_brackets() -> None:
    assert total(products([-1, -2], [3, -4])) == "−1 × 3 + (−2) × (−4)"
    assert (format_number(-0.0), signed(-2.5)) == ("0", "(−2.5)")


def test_a_long_sum_is_seen_at_a_glance_by_its_first_terms() -> None:
    assert shorten_sum(["1", "2", "3", "4"]) == "1 + 2 + 3 + 4"
    assert shorten_sum(["1", "2", "3", "4", "5"]) == "1 + 2 + 3 + …"
    terms = products([1] * (SHOWN_TERMS + 2), [2] * (SHOWN_TERMS + 2))
    assert terms == ["1 × 2"] * SHOWN_TERMS + ["… (2 more)"]


def test_the_formula_of_a_stage_follows_the_scale() -> None:
    scaled = BY_NAME["scaled_scores"]
    assert r"\sqrt{d_k}" in scaled.formula_for({"sqrt_d_k"}).latex
    assert r"\sqrt" not in scaled.formula_for({"none"}).latex + scaled.formula_for({"number"}).latex
