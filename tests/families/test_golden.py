"""Checkpoints give the figures that transformers gave (tests/against_torch/make_golden.py)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from app.analysis.predictions import logits_at
from tests.families.asking import ask
from tests.families.cases import CASES, made, short_text

FILE = Path(__file__).parent.parent / "golden/families.json"
GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))


def test_weights_and_what_comes_last_are_those_of_transformers(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for golden in GOLDEN:
        case = golden["case"]
        with subtests.test(case):
            trace = ask(made(case, tmp_path), short_text(case))
            for layer, weights in zip(trace.layers, golden["weights"], strict=True):
                np.testing.assert_allclose(layer["weights"][0], weights, atol=1e-5)
            last = trace.layers[-1]["block_output"][0, -1]
            if trace.plan.model.unembedding is not None:
                last = logits_at(trace, 0, [trace.plan.n - 1])[0, ::10]
            np.testing.assert_allclose(last, golden["last"], rtol=1e-5, atol=2e-5)


def test_every_case_has_its_golden_figures() -> None:
    assert [golden["case"] for golden in GOLDEN] == list(CASES)
