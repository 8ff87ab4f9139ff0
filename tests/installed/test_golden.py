"""Installed models give the figures that PyTorch gave (tests/against_torch/make_golden.py)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from attnscope.analysis.predictions import likeliest
from tests.golden.sentences import SENTENCES
from tests.installed.asking import echo

FILE = Path(__file__).parent.parent / "golden/installed.json"
CASES = json.loads(FILE.read_text(encoding="utf-8"))


def test_weights_and_predictions_are_those_of_torch(subtests: pytest.Subtests) -> None:
    for case in CASES:
        name = case["name"]
        with subtests.test(name):
            trace = echo(SENTENCES[name], model={"source": "installed", "name": name})
            for layer, weights in zip(trace.layers, case["weights"], strict=True):
                np.testing.assert_allclose(layer["weights"][0], weights, atol=1e-5)
            output = np.array(case["block_output"])
            error = np.abs(trace.layers[-1]["block_output"][0] - output).max()
            assert error <= 1e-5 * max(1, np.abs(output).max())
            for row, (ids, logs) in enumerate(
                zip(case["likeliest"], case["log_probabilities"], strict=True)
            ):
                found = {one.id: one.log_probability for one in likeliest(trace, 0, row, 12)}
                for piece, log in zip(ids, logs, strict=True):
                    assert found[piece] == pytest.approx(log, abs=1e-4)


def test_every_installed_model_has_its_golden_figures() -> None:
    assert [case["name"] for case in CASES] == sorted(SENTENCES)
