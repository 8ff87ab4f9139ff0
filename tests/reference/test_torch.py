"""200 random questions, live against PyTorch's scaled_dot_product_attention.

`make test-reference` runs this; `make test` compares with figures that make_golden.py keeps.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.questions import Body, ask, random_question
from tests.reference.make_golden import FILE, SEEDS, case
from tests.reference.torch_attention import torch_stages

# Most are short, and every tenth is longer than a block of rows.
QUESTIONS = [(seed, 150 if seed % 10 == 0 else 24) for seed in range(1000, 1200)]
TOLERANCES = {"float64": 1e-12, "float32": 1e-5}


def compare(body: Body, dtype: str) -> None:
    trace = ask({**body, "dtype": dtype})
    tolerance = TOLERANCES[dtype]
    for layer, stages in enumerate(trace.layers):
        for name, array in torch_stages(body, trace, layer).items():
            assert stages[name].dtype == array.dtype == np.dtype(dtype)
            np.testing.assert_allclose(
                stages[name], array, rtol=tolerance, atol=tolerance, err_msg=f"{layer} {name}"
            )


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize(("seed", "longest"), QUESTIONS)
def test_a_random_question_is_answered_as_torch_does(seed: int, longest: int, dtype: str) -> None:
    compare(random_question(seed, longest), dtype)


def test_the_questions_have_masked_rows_padding_groups_and_lengths() -> None:
    traces = [ask(random_question(seed, longest)) for seed, longest in QUESTIONS]
    shapes = [trace.plan.model.shape for trace in traces]
    assert sum(trace.checks.fully_masked_rows > 0 for trace in traces) > 20
    assert sum(min(t.plan.words.lengths) < t.plan.words.n for t in traces) > 50
    assert sum(shape.num_kv_heads < shape.num_heads for shape in shapes) > 50
    assert sum(trace.plan.words.n > 128 for trace in traces) > 5
    assert len({trace.plan.words.n for trace in traces}) > 20
    assert len({shape.num_heads for shape in shapes}) >= 5


@pytest.mark.parametrize("seed", SEEDS)
def test_the_golden_file_is_what_torch_says_today(seed: int) -> None:
    kept = {entry["seed"]: entry for entry in json.loads(FILE.read_text(encoding="utf-8"))}
    fresh = case(seed)
    assert fresh["question"] == kept[seed]["question"]
    for name, array in fresh["stages"].items():
        np.testing.assert_allclose(kept[seed]["stages"][name], array, rtol=1e-12, atol=1e-12)
