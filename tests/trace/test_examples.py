"""The worked examples: our figures against those recomputed without numpy, and what was printed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.trace.examples import example, examples
from tests.questions import ask

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = json.loads((ROOT / "golden/worked_examples.json").read_text(encoding="utf-8"))
LOCALES = ROOT.parent / "static/locales"
COMPUTED = [entry for entry in GOLDEN if entry.get("computed")]
ROWS = {"eating-pizza": 2, "translation-row": 1, "saturated": 0, "smooth": 0, "masked-row": 1}


def golden(name: str) -> dict[str, Any]:
    return next(entry for entry in GOLDEN if entry["id"] == name)


def layer_of(name: str) -> Mapping[str, np.ndarray]:
    return ask(example(name).question).layers[0]


def exactly(ours: np.ndarray, expected: Any) -> None:
    """To 1e-12 of a number's size; null is masked."""
    wanted = np.array(expected, dtype=float)
    wanted[np.isnan(wanted)] = -np.inf
    np.testing.assert_allclose(ours, wanted, rtol=1e-12, atol=1e-12)


def test_every_computed_stage_comes_out_to_the_last_digit(subtests: pytest.Subtests) -> None:
    for entry in COMPUTED:
        with subtests.test(entry["id"]):
            layer = layer_of(entry["id"])
            rows = slice(None)
            if entry["id"] in ROWS:
                rows = slice(ROWS[entry["id"]], ROWS[entry["id"]] + 1)
            assert len(entry["computed"]) == len(layer["x"])
            for b, stages in enumerate(entry["computed"]):
                for name, values in stages.items():
                    exactly(layer[name][b, 0, rows], values)


def test_where_scores_were_printed_the_question_has_these_scores(subtests: pytest.Subtests) -> None:
    for name in [*ROWS, "causal-four"]:
        with subtests.test(name):
            (stage,) = golden(name)["request"].keys() - {"mask"}
            rows = slice(ROWS[name], ROWS[name] + 1) if name in ROWS else slice(None)
            exactly(layer_of(name)[stage][0, 0, rows], golden(name)["request"][stage])


@pytest.mark.parametrize("head", [0, 1])
def test_the_example_with_two_heads_comes_out_head_by_head(head: int) -> None:
    layer = layer_of("family-outing-two-heads")
    assert layer["q"].shape == (1, 2, 3, 2)
    for name, values in golden("family-outing")["computed_two_heads"][head].items():
        exactly(layer[name][0, head], values)


def test_a_question_asks_what_the_golden_file_asks(subtests: pytest.Subtests) -> None:
    for name in ("three-tensor", "family-outing", "batch-of-four", "translation-shapes"):
        with subtests.test(name):
            question, request = example(name).question, golden(name)["request"]
            flat = {**question, **question["model"], "texts": question.get("text")}
            for each in request.keys() - {"mask"}:
                assert flat[each] == request[each]
            assert flat.get("causal", False) == (request["mask"] == "causal")


def test_published_figures_agree_where_the_golden_file_says_so(subtests: pytest.Subtests) -> None:
    for entry in GOLDEN:
        with subtests.test(entry["id"]):
            figures = example(entry["id"]).figures
            assert len(figures) == len(entry["published"])
            for ours, printed in zip(figures, entry["published"], strict=True):
                assert ours.stage == printed["stage"]
                assert ours.at == printed.get("at", {})
                assert ours.published == printed.get("value", printed.get("shape"))
                assert ours.agrees == printed["agrees"]
                assert (ours.why is not None) == (not ours.agrees)
                if "shape" in printed:
                    assert ours.computed == printed["shape"]


def test_our_figure_stands_beside_the_published_one() -> None:
    weights = next(f for f in example("family-outing").figures if f.stage == "weights")
    assert weights.published == [0.52, 0.31, 0.17]
    exactly(np.array(weights.computed), golden("family-outing")["computed"][0]["weights"][0])
    two_heads = example("family-outing").figures[-1]
    heads = golden("family-outing")["computed_two_heads"]
    exactly(np.array(two_heads.computed), [head["head_outputs"][0] for head in heads])
    masked = example("causal-four").figures[0]
    assert masked.computed[0] == [0.3, None, None, None]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_example_and_every_why_has_its_words(language: str) -> None:
    answers: dict[str, str] = {}
    for path in (LOCALES / language).glob("*.json"):
        answers |= json.loads(path.read_text(encoding="utf-8"))
    for each in examples():
        for figure in each.figures:
            assert figure.why is None or answers.get(figure.why)


def test_every_example_can_be_asked() -> None:
    for each in examples():
        assert ask(each.question).checks.non_finite == 0


def test_the_examples_are_computed_once() -> None:
    assert examples() is examples()
    ids = [each.id for each in examples()]
    assert len(set(ids)) == len(ids)
