"""The slow reference is itself held to plain loops, so that the checks it feeds mean something."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.attention.reference import layer_slowly
from tests.attention import plain
from tests.questions import ask, patterned_question, random_question


def test_the_slow_reference_equals_plain_loops(subtests: pytest.Subtests) -> None:
    for seed in range(100, 124):
        with subtests.test(seed=seed):
            body = patterned_question(seed) if seed % 3 == 0 else random_question(seed)
            trace = ask(body)
            shape, first = trace.plan.model.shape, trace.layers[0]
            slow = layer_slowly(first["x"], trace.parameters[0], trace.plan.setting)
            listed = {name: array.tolist() for name, array in trace.parameters[0].arrays().items()}
            (expected,) = plain.answer(
                body, first["x"].tolist(), [listed],
                shape.num_heads, shape.num_kv_heads, shape.d_k, trace.plan.lengths(),
            )  # fmt: skip
            assert slow.keys() == expected.keys() - {"x"}
            for name, array in slow.items():
                np.testing.assert_allclose(
                    array, expected[name], rtol=1e-12, atol=1e-12, err_msg=name
                )
