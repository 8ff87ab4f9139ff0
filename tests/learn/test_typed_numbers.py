"""Numbers are read as people type them."""

from __future__ import annotations

import pytest

from attnscope.learn.typed_numbers import readings

TYPED = {
    6400: [
        "6400",
        "6,400",
        "6 400",
        "6.400",
        "6'400",
        "6\u202f400",
        "６４００",
        "６，４００",
        "6.4e3",
        "6.4 × 10³",
        "6,4·10^3",
    ],
    0.05: ["0.05", "0,05", ".05", "5e-2", "０．０５", "0。05", "1/20", "5 / 100"],
    -10: ["-10", "− 10", "–10", "－１０", "- 10.0"],
    0.5: ["½", "1/2", "+0.5", "0,5", "50/100"],
    1.5: ["1½", "1 1/2", "1 ½", "3/2", "1,5"],
    -0.25: ["-¼", "−1/4", "-0.25"],
    1234567.8: ["1,234,567.8", "1.234.567,8", "1 234 567,8", "1234567.8"],
    0.001: ["1e-3", "1E-3", "0.001", "0,001", "1/1000", "1 × 10⁻³", "1×10^-3", "1 × 10^−3"],
}


def test_every_spelling_of_a_number_is_read(subtests: pytest.Subtests) -> None:
    for number, spellings in TYPED.items():
        for typed in spellings:
            with subtests.test(typed):
                assert number in readings(typed)


def test_a_mark_before_three_digits_may_separate_thousands_or_decimals() -> None:
    assert set(readings("6,400")) == {6.4, 6400}
    assert set(readings("0,400")) == {0.4}
    assert set(readings("1,234.5")) == {1234.5}
    assert readings("12,34") == (12.34,)


def test_percent_is_read_where_it_has_a_meaning() -> None:
    for typed in ("5 %", "5%", "５％", "10/2 %"):
        assert readings(typed, percent=0.01) == pytest.approx((0.05,))
        assert readings(typed, percent=1) == (5,)
        assert readings(typed) == ()


def test_what_is_no_number_has_no_reading(subtests: pytest.Subtests) -> None:
    nothing = [
        "", " ", "one", "nan", "inf", "1e999", "1.2.3", "1/0", "1/inf", "1/2/3", "/2", "1/", "--1",
        "1,2,3", "12,34,567", "1,234,56", "0x10", "1_000", "½½", "%", "1 2", "9" * 400, "e5",
        "10²", "x₁", "× 10³", "2 × 10² × 10²", "2 × 3", "1/2 × 10^2",
    ]  # fmt: skip
    for typed in nothing:
        with subtests.test(typed):
            assert readings(typed, percent=0.01) == ()
