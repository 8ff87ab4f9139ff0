"""What PyTorch's scaled_dot_product_attention said, kept in a file by make_golden.py."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.questions import ask

FILE = Path(__file__).parent.parent / "golden/torch_cases.json"
CASES = json.loads(FILE.read_text(encoding="utf-8"))


def test_the_first_layer_is_what_torch_said(subtests: pytest.Subtests) -> None:
    for case in CASES:
        with subtests.test(str(case["seed"])):
            layer = ask(case["question"]).layers[0]
            assert case["stages"].keys() == {
                "weights", "head_outputs", "concat", "output", "block_output",
            }  # fmt: skip
            for name, array in case["stages"].items():
                np.testing.assert_allclose(layer[name], array, rtol=1e-12, atol=1e-12, err_msg=name)


def test_float32_stays_near_what_torch_said(subtests: pytest.Subtests) -> None:
    for case in CASES:
        with subtests.test(str(case["seed"])):
            layer = ask({**case["question"], "dtype": "float32"}).layers[0]
            for name, array in case["stages"].items():
                np.testing.assert_allclose(layer[name], array, rtol=1e-4, atol=1e-4, err_msg=name)
