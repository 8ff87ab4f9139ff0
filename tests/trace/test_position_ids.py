"""Where tokens stand, if not at 0, 1, 2 …"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.analysis import predictions
from attnscope.analysis.continuation import Sampling, continue_text, continued
from attnscope.analysis.decode import decode, step_ends
from attnscope.analysis.score_parts import score_parts
from attnscope.attention.positions import sinusoidal
from attnscope.errors import InvalidRequest, ShapeMismatch
from attnscope.trace.cell_reader import CellPlace
from attnscope.trace.explain import explain
from attnscope.trace.plan import DENSE_TOKENS, Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer
from attnscope.web.serializers.numpy_program import main
from tests.analysis.test_gradients import derive
from tests.installed.asking import echo
from tests.web.test_program import printed, unpacked

TEXT = "the cat saw the cat saw"
PACKED = [0, 1, 2, 0, 1, 2]
ROTARY = {"source": "seeded", "d_model": 8, "num_heads": 2, "num_layers": 2, "positions": "rotary"}
EXACT = 1e-12


def ask(text: Any = TEXT, model: dict[str, Any] = ROTARY, **fields: Any) -> Trace:
    question = Question.model_validate({"text": text, "model": model, **fields})
    return answer(make_plan(question, Limits(), pytest.fail))


def apart(trace: Trace) -> float:
    """The largest difference of the two halves of packed q, k and x of the first layer."""
    halves = [np.split(trace.layers[0][name], 2, axis=-2) for name in ("x", "q", "k")]
    return max(float(np.abs(one - two).max()) for one, two in halves)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary"])
def test_packed_documents_begin_anew(positions: str) -> None:
    model = {**ROTARY, "positions": positions}
    packed, plain = ask(model=model, position_ids=PACKED), ask(model=model)
    assert apart(packed) < EXACT < 1e-2 < apart(plain)
    assert packed.checks.max_reference_error is not None
    assert packed.checks.max_reference_error < EXACT
    usual = ask(model=model, position_ids=list(range(6)))
    for name in ("q", "k", "weights"):
        np.testing.assert_array_equal(usual.layers[1][name], plain.layers[1][name])


def test_they_are_rows_of_the_table() -> None:
    model = {"source": "seeded", "d_model": 8, "num_heads": 2}
    placed = ask(model=model, position_ids=[7, 0, 3, 3, 1, 2]).start.position
    assert placed is not None
    np.testing.assert_array_equal(placed[0], sinusoidal(8, 8)[[7, 0, 3, 3, 1, 2]])


def test_each_text_of_a_batch_has_its_own() -> None:
    both = ask([TEXT, "a dog"], position_ids=[PACKED, [4, 1, 0, 0, 0, 0]])
    alone = ask("a dog", position_ids=[4, 1])
    np.testing.assert_allclose(
        both.layers[1]["weights"][1, :, :2, :2], alone.layers[1]["weights"][0], atol=EXACT
    )
    shared = ask([TEXT, TEXT], position_ids=PACKED).layers[1]["weights"]
    np.testing.assert_array_equal(shared[0], shared[1])


def test_one_cell_is_named_with_its_place() -> None:
    trace = ask(position_ids=[5, 9, 2, 0, 1, 3])
    step = explain(trace, "q", CellPlace(0, 1, 0, 1, 2)).steps[-1]
    cos, sin = (one.value for one in step.operands[2:])
    speed = trace.plan.model.rotary.speeds(4, 6)[1]
    np.testing.assert_allclose([cos, sin], [np.cos(9 * speed), np.sin(9 * speed)], atol=EXACT)


def test_parts_of_a_score_sum_to_it() -> None:
    model = {**ROTARY, "block": "residual"}
    trace = ask(model=model, position_ids=[5, 9, 2, 0, 1, 3])
    score = trace.layers[1]["scores"][0, 1, 4, 1]
    assert score_parts(trace, 1, 1, 0, 4, 1).score == pytest.approx(score, abs=EXACT)


def test_decoding_comes_to_the_same() -> None:
    trace = ask(position_ids=PACKED)
    steps = decode(trace, 1, 0, step_ends(trace.plan, 0, 2))
    assert max(step.difference for step in steps) < EXACT


def test_what_moves_all_tokens_alike_changes_no_derivative_of_unrotated_rows() -> None:
    plain, moved = (
        derive(ask(position_ids=[first + i for i in range(6)]), kind="row_norm", row=4)
        for first in (0, 900)
    )
    for one, other in zip(plain.trace.layers, moved.trace.layers, strict=True):
        np.testing.assert_allclose(one["unrotated_k"], other["unrotated_k"], atol=1e-9)
        assert np.abs(one["k"] - other["k"]).max() > 1e-3


def test_keys_of_a_context_stand_where_they_are() -> None:
    plain, moved = (ask(context="a dog there", position_ids=ids) for ids in (None, PACKED))
    np.testing.assert_array_equal(plain.layers[0]["k"], moved.layers[0]["k"])
    assert np.abs(plain.layers[0]["q"] - moved.layers[0]["q"]).max() > 1e-2
    assert moved.checks.max_reference_error is not None
    assert moved.checks.max_reference_error < EXACT


def test_a_text_goes_on_behind_the_last_one() -> None:
    trace = echo(position_ids=[3 + i for i in range(echo().plan.n)])
    ids, logs = continue_text(trace, 3, Sampling())
    question = continued(trace.plan, ids)
    assert question.position_ids == [3 + i for i in range(trace.plan.n + 3)]
    again = answer(make_plan(question, Limits(), pytest.fail))
    assert again.plan.positions is not None
    last = predictions.surprisals(again, 0)[-3:]
    np.testing.assert_allclose(last, [-log for log in logs], atol=1e-4)


def test_a_long_text_has_them_too() -> None:
    n = DENSE_TOKENS + 50
    model = {**ROTARY, "num_layers": 1}
    q = ask(" ".join(["a"] * n), model=model, position_ids=[i % 50 for i in range(n)]).layers[0][
        "q"
    ]
    np.testing.assert_allclose(q[:, :, :50], q[:, :, 4050:4100], rtol=1e-5)


@pytest.mark.parametrize("positions", ["learned", "rotary"])
def test_the_program_of_a_trace_has_them(
    positions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = ask(model={**ROTARY, "positions": positions}, position_ids=PACKED)
    main(unpacked(trace, tmp_path))
    assert max(printed(capsys.readouterr().out).values()) < EXACT


def test_what_they_cannot_move_is_refused(subtests: pytest.Subtests) -> None:
    alibi, numbers = {**ROTARY, "positions": "alibi"}, {"source": "seeded", "d_model": 8}
    x: dict[str, Any] = {"text": None, "x": [[0.5] * 8] * 6}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"model": alibi}, "no_positions"),
        ({"model": {**ROTARY, "positions": "none"}}, "no_positions"),
        ({"model": {**numbers, "num_heads": 2}, **x}, "no_positions"),
        ({"position_ids": PACKED[1:]}, "position_ids"),
        ({"position_ids": [PACKED, PACKED]}, "position_ids"),
        ({"position_ids": [*PACKED[1:], 4096]}, "position_beyond"),
    ]
    for fields, reason in cases:
        with subtests.test(reason, fields=str(fields)[:80]):
            with pytest.raises((InvalidRequest, ShapeMismatch)) as refused:
                ask(**{"position_ids": PACKED, **fields})
            assert (refused.value.reason, refused.value.at) == (reason, "position_ids")


def test_none_is_beyond_the_positions_of_a_model() -> None:
    rows = echo().plan.n
    with pytest.raises(InvalidRequest) as refused:
        echo(position_ids=[128, *range(1, rows)])
    assert refused.value.values == {"position": 128, "last": 127}
