"""What rounding costs, on questions where it is known."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from attnscope.analysis.precision import softmaxes, stage_errors
from attnscope.attention.dtypes import round_to_grid
from tests.questions import BLOCKS, ask, random_question

ONE = {"source": "explicit", "w_q": [[1]], "w_k": [[1]], "w_v": [[1]]}
DTYPES = ("float64", "float32", "float16", "bfloat16")


def scored(scores: list[list[float]], dtype: str, **options: Any) -> dict[str, Any]:
    """A question whose scores are these: x is the identity, and so is w_k."""
    n = len(scores[0])
    eye = np.eye(n).tolist()
    rows = scores + [[0.0] * n] * (n - len(scores))
    model = {"source": "explicit", "w_q": rows, "w_k": eye, "w_v": eye}
    return {"x": eye, "model": model, "scale": "none", "causal": False, "dtype": dtype, **options}


def test_every_number_of_a_trace_is_on_the_grid(subtests: pytest.Subtests) -> None:
    dtypes: tuple[Any, ...] = ("float16", "bfloat16")
    for block, dtype in product(BLOCKS, dtypes):
        with subtests.test(block, dtype=dtype):
            model = {"source": "seeded", "bias": True, "num_layers": 2, "block": block, "mlp": True}
            for positions in ("rotary", "alibi"):
                body = {"text": "a b c", "model": {**model, "positions": positions}, "dtype": dtype}
                trace = ask(body)
                for arrays in (*trace.layers, *(p.arrays() for p in trace.parameters)):
                    for name, array in arrays.items():
                        assert array.dtype == np.float32
                        np.testing.assert_array_equal(
                            round_to_grid(array.copy(), dtype), array, err_msg=name
                        )


def test_a_coarser_grid_is_further_from_float64(subtests: pytest.Subtests) -> None:
    for seed in range(800, 812):
        with subtests.test(seed=seed):
            body = {**random_question(seed), "causal": False, "blocked": []}
            traces = {dtype: ask({**body, "dtype": dtype}) for dtype in DTYPES}
            worst = []
            for dtype in DTYPES:
                errors = stage_errors(traces[dtype], traces["float64"], 0, 0, 0)
                by_name = {error.stage: error.largest for error in errors}
                assert all(error.non_finite == 0 for error in errors)
                worst.append(by_name["x"])
            assert worst[0] == 0
            assert worst[1] <= worst[2] <= worst[3]


def test_a_shared_key_head_is_compared_for_every_head_it_serves() -> None:
    model = {"source": "seeded", "num_heads": 4, "num_kv_heads": 2}
    exact, rough = (
        ask({"text": "a b", "model": model, "dtype": dtype}) for dtype in ("float64", "float16")
    )
    for head in range(4):
        errors = {one.stage: one.largest for one in stage_errors(rough, exact, 0, head, 0)}
        ours, right = (one.layers[0]["k"][0, head // 2] for one in (rough, exact))
        assert errors["k"] == np.abs(ours - right).max() > 0


def test_the_naive_softmax_overflows_just_there_and_the_stable_one_never(
    subtests: pytest.Subtests,
) -> None:
    cases = [("float64", 710.0), ("float32", 89.0), ("float16", 12.0), ("bfloat16", 89.0)]
    for dtype, score in cases:
        with subtests.test(dtype):
            trace = ask(scored([[score, score - 1.0]], dtype))
            both = softmaxes(trace, 0, 0, 0)
            assert (both["naive"].overflowed, both["naive"].nan_rows) == (1, 1)
            assert np.isnan(both["naive"].weights[0]).any()
            assert both["naive"].exponentials[0, 0] == np.inf
            assert both["stable"].exponentials[0, 0] == 1
            assert np.isnan(both["naive"].largest_error)
            assert (both["stable"].overflowed, both["stable"].nan_rows) == (0, 0)
            assert both["stable"].largest_error < 0.01
            np.testing.assert_array_equal(both["stable"].weights, trace.layers[0]["weights"][0, 0])
            below = softmaxes(ask(scored([[score - 1.0, score - 2.0]], dtype)), 0, 0, 0)["naive"]
            assert (below.overflowed, below.nan_rows) == (0, 0)


def test_far_below_zero_every_exponential_vanishes_and_nothing_is_shared() -> None:
    both = softmaxes(ask(scored([[-800.0, -801.0]], "float64")), 0, 0, 0)
    assert (both["naive"].overflowed, both["naive"].nan_rows) == (0, 1)
    assert both["stable"].largest_error == 0


def test_a_query_that_sees_nothing_has_zeros_and_no_error() -> None:
    trace = ask(scored([[1.0, 2.0]], "float16", blocked=[[0, 0], [0, 1]]))
    for rounded in softmaxes(trace, 0, 0, 0).values():
        assert rounded.nan_rows == 0
        assert not rounded.weights[0].any()
        assert not rounded.exponentials[0].any()


def test_a_number_that_is_finite_in_float64_alone_is_infinitely_apart() -> None:
    body = {"x": [[300.0], [1.0]], "model": ONE}
    exact, rough = (ask({**body, "dtype": dtype}) for dtype in ("float64", "float16"))
    errors = {one.stage: one for one in stage_errors(rough, exact, 0, 0, 0)}
    assert (errors["scores"].largest, errors["scores"].non_finite) == (np.inf, 1)
    assert rough.checks.non_finite > 0
