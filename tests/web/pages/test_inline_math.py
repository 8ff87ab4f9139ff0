"""Formulas within prose are MathML; names of arrays, numbers and attributes stay as they are."""

from __future__ import annotations

from attnscope.web.pages.passages import typeset_inline, typeset_with_cells


def test_formulas_are_typeset() -> None:
    for text, math in {
        "√d_k": "<msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt>",
        "1/√d_k in": "<msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt>",
        "over √128 is": "<msqrt><mn>128</mn></msqrt>",
        "矩阵W_Q和": "<msub><mi>W</mi><mi>Q</mi></msub>",
        "d_model": "<msub><mi>d</mi><mtext>model</mtext></msub>",
        "∇W_Q": "<msub><mi>W</mi><mi>Q</mi></msub>",
        "e^z": "<msup><mi>e</mi><mi>z</mi></msup>",
        "e^0.8 = 2.2": "<msup><mi>e</mi><mn>0.8</mn></msup>",
    }.items():
        assert f'<math translate="no">{math}</math>' in typeset_inline(text), text


def test_what_is_no_formula_stays() -> None:
    for text in ("w_q and b_k", "masked_scores", "q_rows", "words_and_back", "x^2y",
                 '<a href="/learn/e_k">masks</a>', "log_k n"):  # fmt: skip
        assert typeset_inline(text) == text, text


def test_a_cell_of_a_paragraph_is_a_button_with_its_formula() -> None:
    html = str(typeset_with_cells("[[cell:scores,3,1|W_Q < 1]]"))
    assert 'data-cell="scores,3,1"' in html
    assert '<math translate="no"><msub><mi>W</mi><mi>Q</mi></msub></math> &lt; 1' in html
