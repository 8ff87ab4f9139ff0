"""What an answer says about its own numbers is true, also when the numbers are bad."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import orjson
import pytest
from pydantic import TypeAdapter

from attnscope.attention.layer_context import StoredStages
from attnscope.trace.checks import check
from attnscope.trace.trace import Trace
from attnscope.web.api_v1.schemas import ChecksReply
from attnscope.web.serializers.selection import to_json
from attnscope.web.serializers.traces import describe_checks
from tests.questions import ask, random_question

ONE = {"source": "explicit", "w_q": [[1]], "w_k": [[1]], "w_v": [[1]]}
# Each overflows somewhere else: q, the scores, x itself, the output.
OVERFLOWING: list[dict[str, Any]] = [
    {"x": [[1e30], [1]], "model": {**ONE, "w_q": [[1e30]]}, "dtype": "float32"},
    {"x": [[1e30], [1]], "model": ONE, "dtype": "float32"},
    {"x": [[1e300], [1]], "model": ONE, "dtype": "float32"},
    {"x": [[1], [1]], "model": {**ONE, "w_v": [[3e38]], "w_o": [[9]]}, "dtype": "float32"},
    {"x": [[1e200], [1]], "model": ONE},
    {"x": [[1], [1]], "model": ONE, "scale": 1e308, "temperature": 1e-3},
    {"x": [[1], [1]], "model": {**ONE, "w_q": [[1e300]]}, "dtype": "bfloat16"},
    {
        "x": [[300, 1], [1, 2]],
        "dtype": "float16",
        "model": {
            "source": "seeded",
            "d_model": 2,
            "num_heads": 1,
            "block": "sublayer_norm",
            "mlp": True,
            "positions": "rotary",
            "init": "identity",
        },
    },
    {
        "x": [[1e300, 1], [1, 2]],
        "model": {
            "source": "seeded",
            "d_model": 2,
            "num_heads": 1,
            "block": "post_norm",
            "mlp": True,
        },
    },
]


def again(trace: Trace, **changed: np.ndarray) -> Any:
    """The checks of the same trace with some stages of the first layer replaced."""
    layers = [StoredStages({**trace.layers[0], **changed}), *trace.layers[1:]]
    setting = replace(trace.plan.setting, context=trace.layers[0].get("context"))
    return check(layers, trace.parameters, setting)


def test_a_sound_answer_says_so(subtests: pytest.Subtests) -> None:
    for seed in range(600, 620):
        with subtests.test(seed=seed):
            trace = ask(random_question(seed))
            assert trace.checks.max_row_sum_error < 1e-14
            assert trace.checks.non_finite == 0
            assert trace.checks.max_reference_error is not None
            assert trace.checks.max_reference_error < 1e-11


def test_queries_that_see_nothing_are_counted_once_whatever_the_heads() -> None:
    body = {"tokens": ["a", "b", "c"], "causal": False}
    assert ask(body).checks.fully_masked_rows == 0
    blocked = [[1, 0], [1, 1], [1, 2], [2, 0]]
    trace = ask({**body, "blocked": blocked})
    assert trace.checks.fully_masked_rows == 1
    assert trace.checks.max_row_sum_error < 1e-15
    assert not trace.layers[0]["weights"][0, :, 1].any()
    assert ask({**body, "context_length": 5}).checks.fully_masked_rows == 2
    assert ask({"text": ["a b c", "d"]}).checks.fully_masked_rows == 2


def test_a_row_that_does_not_sum_to_one_is_reported() -> None:
    trace = ask({"tokens": ["a", "b"]})
    weights = trace.layers[0]["weights"].copy()
    weights[0, 0, 1] *= 1.25
    assert again(trace, weights=weights).max_row_sum_error == pytest.approx(0.25, abs=1e-12)


def test_a_stage_that_differs_from_the_reference_is_reported(subtests: pytest.Subtests) -> None:
    for stage in ("q", "scores", "weights", "head_outputs", "concat", "output"):
        with subtests.test(stage):
            trace = ask({"tokens": ["a", "b"]})
            wrong = trace.layers[0][stage].copy()
            wrong.flat[0] += 0.5
            assert again(trace, **{stage: wrong}).max_reference_error == pytest.approx(
                0.5, abs=1e-9
            )


def test_a_cell_masked_in_one_alone_is_infinitely_apart() -> None:
    trace = ask({"tokens": ["a", "b"]})
    masked = trace.layers[0]["masked_scores"].copy()
    masked[0, 0, 1, 0] = -np.inf
    assert again(trace, masked_scores=masked).max_reference_error == np.inf


def test_the_reference_is_for_small_questions_alone() -> None:
    assert ask({"tokens": ["a"] * 16}).checks.max_reference_error is not None
    assert ask({"tokens": ["a"] * 200}).checks.max_reference_error is None


def test_cells_that_are_not_finite_are_counted_and_masked_ones_are_not() -> None:
    trace = ask({"tokens": ["a", "b", "c"]})
    assert np.isneginf(trace.layers[0]["masked_scores"]).sum() == 12
    assert trace.checks.non_finite == 0
    output = trace.layers[0]["output"].copy()
    output[0, 0, :2] = np.nan, np.inf
    assert again(trace, output=output).non_finite == 2


def test_numbers_too_large_for_the_dtype_are_counted(subtests: pytest.Subtests) -> None:
    for body in OVERFLOWING:
        with subtests.test(body=body):
            trace = ask(body)
            stages = {n: a for n, a in trace.layers[0].items() if n != "masked_scores"}
            bad = sum(int((~np.isfinite(array)).sum()) for array in stages.values())
            assert trace.checks.non_finite == bad > 0


def test_a_query_whose_scores_are_all_too_low_may_attend_all_the_same() -> None:
    low = {"x": [[1], [-1]], "model": {**ONE, "w_q": [[-1e30]]}, "scale": 1e30, "dtype": "float32"}
    trace = ask(low)
    assert trace.layers[0]["scaled_scores"][0, 0, 0, 0] == -np.inf
    assert trace.checks.non_finite
    assert trace.checks.fully_masked_rows == 0
    assert ask({**low, "blocked": [[0, 0]]}).checks.fully_masked_rows == 1
    assert ask({**low, "context_length": 4}).checks.fully_masked_rows == 2


def test_the_checks_of_bad_numbers_still_fit_the_reply() -> None:
    trace = ask(OVERFLOWING[0])
    reply = orjson.loads(to_json(describe_checks(replace(trace, elapsed_ms=0.0))))["checks"]
    TypeAdapter(ChecksReply).validate_python(reply)
