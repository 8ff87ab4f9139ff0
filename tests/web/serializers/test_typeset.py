"""Formulas as MathML: a prime stands beside its letter, not over it."""

from __future__ import annotations

import pytest

from attnscope.trace.stages import STAGES
from attnscope.web.serializers.typeset import typeset

PRIMED = "<mrow><mi>X</mi><mo>&#x02032;</mo></mrow>"


def test_a_prime_stands_beside_its_letter(subtests: pytest.Subtests) -> None:
    cases = [
        (r"X' = O", f"{PRIMED}<mo>&#x0003D;</mo><mi>O</mi>"),
        (r"X = X'_{\ell}", f"<msub>{PRIMED}<mrow><mi>&#x02113;</mi></mrow></msub>"),
        (r"X_2 + X'_{\ell - 1}", f"<msub>{PRIMED}<mrow><mi>&#x02113;</mi><mo>&#x02212;</mo>"),
    ]
    for latex, holds in cases:
        with subtests.test(latex):
            assert holds in typeset(latex)


def test_no_prime_of_a_stage_is_an_exponent() -> None:
    latex = [one for stage in STAGES for one in (stage.latex, *(v.latex for v in stage.variants))]
    primed = [typeset(each) for each in latex if "'" in each]
    assert primed
    for each in primed:
        assert "<mo>&#x02032;</mo>" in each
        assert "<mi>&#x02032;</mi>" not in each


def test_what_else_is_an_exponent_stays_one() -> None:
    assert "<msup><mi>K</mi><mo>&#x022A4;</mo></msup>" in typeset(r"Q K^\top")
    assert "<msubsup>" in typeset("a_b^c + X'")
