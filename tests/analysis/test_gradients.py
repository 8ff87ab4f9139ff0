"""The objectives, and what is refused of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pydantic import TypeAdapter

from attnscope.analysis.gradients import Gradients, Objective, check_objective, gradients
from attnscope.errors import InvalidRequest, NonFinite, ShapeMismatch, TooLarge
from attnscope.trace.plan import Limits
from attnscope.trace.trace import Trace
from tests.questions import ask

READ: TypeAdapter[Objective] = TypeAdapter(Objective)
MODEL = {"source": "seeded", "d_model": 4, "num_heads": 2}


def derive(trace: Trace, **objective: Any) -> Gradients:
    return gradients(trace, READ.validate_python(objective))


@pytest.fixture(scope="module")
def trace() -> Trace:
    return ask({"text": ["a b c", "d e f"], "model": MODEL})


def test_a_cell_is_one_number_of_the_output(trace: Trace) -> None:
    found = derive(trace, kind="cell", row=2, col=1, batch=1)
    assert found.value == trace.layers[0]["output"][1, 2, 1]
    g = found.trace.layers[0]["output"]
    assert (g.sum(), g[1, 2, 1]) == (1, 1)
    assert not found.trace.layers[0]["x"][0].any(), "the other text has no part in it"


def test_a_row_norm_is_half_the_sum_of_squares(trace: Trace) -> None:
    found = derive(trace, kind="row_norm", row=1)
    row = trace.layers[0]["output"][0, 1]
    assert found.value == pytest.approx((row**2).sum() / 2)
    np.testing.assert_array_equal(found.trace.layers[0]["output"][0, 1], row)
    assert np.count_nonzero(found.trace.layers[0]["output"]) == 4


def test_a_sum_is_over_every_number(trace: Trace) -> None:
    found = derive(trace, kind="sum")
    assert found.value == pytest.approx(trace.layers[0]["output"].sum())
    assert (found.trace.layers[0]["output"] == 1).all()


def test_a_custom_objective_weights_every_number(trace: Trace) -> None:
    cotangent = np.random.default_rng(0).normal(size=(2, 3, 4))
    found = derive(trace, kind="custom", cotangent=cotangent.tolist())
    assert found.value == pytest.approx((cotangent * trace.layers[0]["output"]).sum())
    np.testing.assert_array_equal(found.trace.layers[0]["output"], cotangent)


def test_of_one_text_the_batch_axis_may_be_left_out() -> None:
    trace = ask({"text": "a b", "model": MODEL})
    cotangent = [[1.0, 0, 0, 0], [0, 0, 0, -2]]
    one, two = (derive(trace, kind="custom", cotangent=c) for c in (cotangent, [cotangent]))
    assert one.value == two.value
    np.testing.assert_array_equal(one.trace.layers[0]["x"], two.trace.layers[0]["x"])


def test_derivatives_add_up_as_objectives_do(trace: Trace) -> None:
    whole = derive(trace, kind="sum").trace.parameters[0].arrays()
    cells = [
        derive(trace, kind="cell", row=i, col=j, batch=b).trace.parameters[0].arrays()
        for b in range(2) for i in range(3) for j in range(4)
    ]  # fmt: skip
    for name, array in whole.items():
        np.testing.assert_allclose(sum(cell[name] for cell in cells), array, atol=1e-14)


def test_the_block_output_can_be_derived_instead_of_the_output() -> None:
    body = {"text": "a b c", "model": {**MODEL, "block": "residual"}}
    trace = ask(body)
    outputs, blocks = (derive(trace, kind="sum", at=at) for at in ("output", "block_output"))
    assert not outputs.trace.layers[0]["block_output"].any(), "it comes after the output"
    g, behind = (found.trace.layers[0] for found in (outputs, blocks))
    np.testing.assert_allclose(behind["x"], g["x"] + 1, atol=1e-15)
    assert blocks.value == pytest.approx(trace.layers[0]["block_output"].sum())


def test_the_contexts_derivative_is_the_sum_over_the_layers() -> None:
    trace = ask({"text": "a b", "context": "c d e", "model": {**MODEL, "num_layers": 2}})
    found = derive(trace, kind="cell", row=0, col=0)
    assert found.context is not None
    np.testing.assert_array_equal(
        found.context, sum(layer["context"] for layer in found.trace.layers)
    )
    assert all(layer["context"].any() for layer in found.trace.layers)
    assert derive(ask({"text": "a", "model": MODEL}), kind="sum").context is None


def test_float32_is_derived_in_float32() -> None:
    body = {"text": "a b c", "model": MODEL}
    single, double = (
        derive(ask({**body, "dtype": dtype}), kind="sum").trace for dtype in ("float32", "float64")
    )
    for name, array in single.layers[0].items():
        assert array.dtype == np.float32
        np.testing.assert_allclose(array, double.layers[0][name], atol=1e-5)


def test_a_cell_outside_the_output_is_refused(trace: Trace, subtests: pytest.Subtests) -> None:
    cases = [
        ({"kind": "cell", "row": 3, "col": 0}, "objective.row"),
        ({"kind": "cell", "row": 0, "col": 4}, "objective.col"),
        ({"kind": "cell", "row": 0, "col": 0, "batch": 2}, "objective.batch"),
        ({"kind": "row_norm", "row": 10**9}, "objective.row"),
    ]
    for objective, at in cases:
        with subtests.test(objective=objective):
            with pytest.raises(InvalidRequest) as refused:
                check_objective(trace.plan, READ.validate_python(objective), Limits())
            assert (refused.value.reason, refused.value.at) == ("out_of_range", at)


def test_a_cotangent_of_another_shape_is_refused(trace: Trace) -> None:
    objective = READ.validate_python({"kind": "custom", "cotangent": [[1.0] * 4] * 3})
    with pytest.raises(ShapeMismatch) as refused:
        check_objective(trace.plan, objective, Limits())
    assert refused.value.values == {"found": "3 × 4", "wanted": "2 × 3 × 4"}
    with pytest.raises(NonFinite):
        READ.validate_python({"kind": "custom", "cotangent": [[float("nan")]]})


def test_what_would_not_fit_beside_its_trace_is_refused(trace: Trace) -> None:
    objective = READ.validate_python({"kind": "sum"})
    check_objective(trace.plan, objective, Limits(max_trace_bytes=2 * trace.plan.bytes))
    with pytest.raises(TooLarge):
        check_objective(trace.plan, objective, Limits(max_trace_bytes=2 * trace.plan.bytes - 1))
