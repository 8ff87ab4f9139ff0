"""Checkpoints give the figures that transformers gave (tests/against_torch/make_golden.py and
make_pairs_golden.py)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from attnscope.analysis.predictions import logits_at
from tests.families.asking import ask
from tests.families.cases import CASES, made, short_text
from tests.families.seq2seq_made import CASES as PAIR_CASES
from tests.families.seq2seq_made import SHORT, ask_pair, made_pair

FOLDER = Path(__file__).parent.parent / "golden"
GOLDEN = json.loads((FOLDER / "families.json").read_text(encoding="utf-8"))
PAIRS = json.loads((FOLDER / "pairs.json").read_text(encoding="utf-8"))


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


def test_so_do_checkpoints_of_an_encoder_with_a_decoder(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for golden in PAIRS:
        with subtests.test(golden["case"]):
            trace = ask_pair(made_pair(golden["case"], tmp_path), **SHORT)
            for layer, weights in zip(trace.layers, golden["weights"], strict=True):
                np.testing.assert_allclose(layer["weights"][0], weights, atol=1e-5)
            last = logits_at(trace, 0, [trace.plan.n - 1])[0, ::10]
            np.testing.assert_allclose(last, golden["last"], rtol=1e-5, atol=2e-5)


def test_every_case_has_its_golden_figures() -> None:
    assert [golden["case"] for golden in GOLDEN] == list(CASES)
    assert [golden["case"] for golden in PAIRS] == list(PAIR_CASES)
