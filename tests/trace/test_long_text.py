"""A long text is computed as any other, a block at a time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.attention.attend import MAPS
from attnscope.errors import InvalidRequest, TooLarge, TooManyTokens
from attnscope.trace import plan
from attnscope.trace.cell_reader import CellPlace
from attnscope.trace.checks import UNCHECKED
from attnscope.trace.explain import explain
from attnscope.trace.explain_attention import MOST_OPERANDS
from attnscope.trace.long_text import LongLayers, LongStages
from attnscope.trace.plan import Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer
from tests.families.asking import ask
from tests.families.cases import TEXT, made

CASES = ("gpt2", "gemma2", "qwen2_window", "bert", "bloom", "gpt_neox", "qwen3")
SEEDED = {"source": "seeded", "d_model": 16, "num_heads": 4, "num_kv_heads": 2, "num_layers": 3}


def seeded(**fields: object) -> Trace:
    question = {"text": [TEXT, TEXT[:9]], "model": SEEDED, "dtype": "float32", **fields}
    return answer(make_plan(Question.model_validate(question), Limits(), pytest.fail))


def check_same(whole: Trace, lengthy: Trace) -> None:
    assert lengthy.plan.long
    assert lengthy.checks == UNCHECKED
    assert lengthy.plan.id == whole.plan.id
    rows, cols = slice(1, 6), slice(2, 9)
    for one, other in zip(whole.layers, lengthy.layers, strict=True):
        assert isinstance(other, LongStages)
        assert set(one) == set(other)
        for name in one:
            close: dict[str, Any] = {
                "rtol": 1e-5,
                "atol": 1e-6 * max(1.0, float(np.abs(one["x"]).max())),
            }
            if name not in MAPS:
                np.testing.assert_allclose(other[name], one[name], err_msg=name, **close)
                continue
            for batch, head in np.ndindex(*one[name].shape[:2]):
                blocks = other.head(name, batch, head)
                dense = one[name][batch, head]
                assert blocks.shape == dense.shape
                np.testing.assert_allclose(blocks[:, :], dense, err_msg=name, **close)
                np.testing.assert_allclose(blocks[rows, cols], dense[rows, cols], **close)
                np.testing.assert_allclose(blocks[3, cols], dense[3, cols], **close)
                np.testing.assert_allclose(blocks[3, 2], dense[3, 2], **close)


def as_long(whole: Trace) -> Trace:
    """The answer to the same question, as if its text were long."""
    return answer(replace(whole.plan, long=True))


def test_a_checkpoint(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for case in CASES:
        with subtests.test(case):
            whole = ask(made(case, tmp_path), [TEXT, TEXT[:9]])
            check_same(whole, as_long(whole))


def test_seeded_weights(subtests: pytest.Subtests) -> None:
    model = {**SEEDED, "block": "pre_norm", "mlp": True}
    cases: list[dict[str, Any]] = [
        {"causal": False, "window": 3, "global_tokens": 1, "padding": "keys", "model": model},
        {"context": [TEXT[:20], TEXT], "causal": False, "model": model},
        {"blocked": [[3, 2], [4, 4]], "drop": [[0, 1]], "model": {**model, "positions": "alibi"}},
    ]
    for fields in cases:
        with subtests.test(fields=fields):
            whole = seeded(**fields)
            check_same(whole, as_long(whole))


def test_what_is_not_kept_of_a_layer_is_made_again() -> None:
    whole = seeded()
    x, setting = whole.layers[0]["x"], whole.plan.setting
    layers = LongLayers(x, whole.parameters, setting, kept_x=1, kept_maps=1)
    for layer in (2, 0, 1, 2):
        np.testing.assert_allclose(
            layers[layer]["x"], whole.layers[layer]["x"], rtol=1e-5, atol=1e-6
        )
        np.testing.assert_allclose(
            layers[layer].head("weights", 0, 1)[:, :],
            whole.layers[layer]["weights"][0, 1], rtol=1e-5, atol=1e-6,
        )  # fmt: skip
        assert [layers.has_map(i) for i in range(3)] == [i == layer for i in range(3)]


def test_cells_are_explained_as_in_short_texts() -> None:
    whole = seeded()
    lengthy = as_long(whole)
    for name in (*MAPS, "q", "output", "concat"):
        cells = [explain(one, name, CellPlace(1, 1, 0, 5, 3)) for one in (whole, lengthy)]
        assert [len(step.operands) for step in cells[0].steps] == [
            len(step.operands) for step in cells[1].steps
        ]
        assert cells[1].value == pytest.approx(cells[0].value, rel=1e-5, abs=1e-6)
        assert cells[1].formula == cells[0].formula


def test_a_row_of_too_many_cells_is_explained_by_its_own() -> None:
    for keys in (MOST_OPERANDS, MOST_OPERANDS + 1):
        trace = seeded(text="a b c", context="a " * keys, causal=False)
        step = explain(trace, "weights", CellPlace(0, 0, 0, 2, 3)).steps[-1]
        whole = [("masked_scores", 2, col) for col in range(keys)]
        places = [(one.stage, one.row, one.col) for one in step.operands]
        assert places == (whole if keys == MOST_OPERANDS else [("masked_scores", 2, 3)])
    with pytest.raises(TooLarge):
        explain(trace, "head_outputs", CellPlace(0, 0, 0, 2, 3))


def test_long_texts_are_float32_unless_asked_otherwise() -> None:
    words = {"text": "a " * 5000, "model": {"source": "seeded", "num_heads": 1}}

    def planned(**fields: object) -> plan.Plan:
        question = Question.model_validate({**words, **fields})
        return make_plan(question, Limits(), pytest.fail)

    assert planned().dtype == "float32"
    assert planned(dtype="float64").dtype == "float64"
    with pytest.raises(InvalidRequest):
        planned(dtype="float16")
    with pytest.raises(TooManyTokens):
        planned(text="a " * 140_000)
    with pytest.raises(TooLarge):
        planned(text="a " * 100_000, model={"source": "seeded", "num_heads": 8})
    with pytest.raises(TooManyTokens):
        planned(context="b", model={"source": "seeded", "block": "decoder"})


def test_what_would_not_fit_whole_comes_in_blocks() -> None:
    question = Question.model_validate({"text": "a " * 3000, "model": {"source": "seeded"}})
    planned = make_plan(question, Limits(), pytest.fail)
    assert planned.long
    assert planned.bytes < Limits().max_trace_bytes < planned.dense_bytes
