"""Lines that a reader writes: parsed, checked, evaluated within bounds, compared to the engine."""

from __future__ import annotations

import pytest

from attnscope.learn.lines import STEPS, mark_line
from tests.test_repo import messages

# The solution, without overflow for large scores.
SAFE_SOFTMAX = (
    "exp(masked_scores[i, j] - max(masked_scores[i, l] for l in N))"
    " / sum(exp(masked_scores[i, l] - max(masked_scores[i, m] for m in N)) for l in N)"
)
# What is typed, and the reason that is given.
REFUSED = {
    "": "empty",
    "   ": "empty",
    "x" * 10_000: "too_long",
    "__import__('os').system('ls')": "character",
    "q @ k.T": "matrix_product",
    "k.T": "attribute",
    "(" * 300 + "1": "too_deep",
    "-" * 300 + "1": "too_deep",
    "sum(q[i, c] * k[j, c] for c in C": "ends",
    "sum(q[i, c] * k[j, c]) for c in C": "expected",
    "q[i, 0] *": "ends_early",
    "q[i, 0] * * 2": "no_value",
    "q[i, 0])": "unopened",
    "x = 1": "assignment",
    "1 <= 2 <= 3": "two_comparisons",
    "i <= j": "condition_as_number",
    "1 if j else 0": "number_as_condition",
    "q * k": "needs_indices",
    "d_k[i]": "no_indices",
    "q[i]": "indices",
    "sum(q[c, i] * k[j, c] for c in C)": "axis",
    "sum(q[i, c] for c in N)": "axis",
    "q[i + 3, 0]": "outside",
    "q[0.5, 0]": "outside",
    "q[inf - inf, 0]": "outside",
    "C": "range_as_number",
    "sum": "needs_brackets",
    "q(i, c)": "round_brackets",
    "q[i, c] * k[j, c]": "counts_nothing",
    "scores[i, j]": "itself",
    "weights[i, j]": "later",
    "sum(keys[j, c] for c in C)": "unknown",
    "sum(qq[i, c] for c in C)": "misspelt",
    "open(0)": "unknown",
    "softmax(q[i, 0])": "softmax",
    "sum(q[i, 0])": "loop_missing",
    "exp(q[i, c] for c in C)": "no_loop",
    "sum(1 for c in D)": "no_range",
    "sqrt(1, 2)": "one_argument",
    "sum(1 for q in C)": "taken",
    "sum(sum(sum(sum(1 for a in N) for b in N) for e in N) for f in N)": "too_many_loops",
    "sum(" + " + ".join(["sum(sum(1 for a in N) for b in N)"] * 9) + " for e in N)":
        "too_much_work",
    "1 / 0": "divided_by_0",
    "sqrt(-1)": "root_of_negative",
}  # fmt: skip


def test_a_line_that_cannot_be_read_is_explained(subtests: pytest.Subtests) -> None:
    reasons = set()
    for line, reason in REFUSED.items():
        with subtests.test(line[:40]):
            mark = mark_line("scores", line)
            ((key, values),) = mark.said
            reasons.add(key)
            assert (mark.right, key) == (False, f"line.error.{reason}")
            assert mark.at is not None
            for language in ("en", "zh"):
                assert "{" not in messages(language)[key].format_map(values).replace("{(", "")
    written = {key for key in messages("en") if key.startswith("line.error.")}
    assert written - reasons == {"line.error.earlier"}
    ((key, _),) = mark_line("weights", "q[i, c]").said
    assert key == "line.error.earlier"


def test_right_lines_agree_with_the_engine_and_slips_are_named(subtests: pytest.Subtests) -> None:
    for step in STEPS:
        with subtests.test(step.stage):
            assert mark_line(step.stage, step.solution).right
            assert mark_line(
                step.stage, f"{step.stage}[{', '.join(step.indices)}] = {step.solution}"
            ).right
            assert len(step.slips) >= 4
            for name, line in step.slips.items():
                mark = mark_line(step.stage, line)
                assert not mark.right
                assert mark.cell
                assert [key for key, _ in mark.said] == [f"line.slip.{name}"]


def test_lines_are_read_as_people_type_them() -> None:
    for stage, line in {
        "scores": "sum(q[i][c] × k[j][c] for c in range(d_k))",
        "scaled_scores": "ｓｃｏｒｅｓ［ｉ，ｊ］÷√(d_k)",
        "masked_scores": "scaled_scores[i，j] if j ≤ i else −∞",
        "head_outputs": "\n sum(weights[i, l]\n * v[l, c] for l in range(n))",
    }.items():
        assert mark_line(stage, line).right, line
    assert mark_line("scaled_scores", "scores[i, j] * d_k ** -0.5").right
    assert mark_line(
        "masked_scores", "-inf if not (j < i or j == i) else scaled_scores[i, j]"
    ).right


def test_a_softmax_that_overflows_is_right_with_a_remark() -> None:
    (softmax,) = (step for step in STEPS if step.stage == "weights")
    for line, remark in ((softmax.solution, "overflow"), (SAFE_SOFTMAX, "safe")):
        mark = mark_line("weights", line)
        assert mark.right
        assert [key for key, _ in mark.said] == [f"line.note.{remark}"]


def test_numbers_out_of_range_are_compared_and_not_raised() -> None:
    for line in ("9 ** 9 ** 9 ** 9", "(-1) ** 0.5", "inf - inf", "n ** n ** n ** n", "1e999"):
        mark = mark_line("scores", line)
        assert not mark.right
        assert mark.cell
