"""Cells that are closed in one layer and head alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnscope.analysis.decode import decode, step_ends
from attnscope.attention.recomputed_stages import RecomputedStages
from attnscope.errors import InvalidRequest
from attnscope.trace.cell_reader import CellPlace
from attnscope.trace.explain import explain
from attnscope.trace.long_text import LongStages
from attnscope.trace.plan import DENSE_TOKENS, Limits, make_plan
from attnscope.trace.question import Question
from attnscope.trace.trace import Trace, answer
from attnscope.web.serializers.numpy_program import main
from tests.families.asking import ask as ask_checkpoint
from tests.families.seq2seq_made import made_pair
from tests.installed.asking import echo
from tests.web.test_program import printed, unpacked

TEXT = "the cat saw a dog there"
SMALL = {"source": "seeded", "d_model": 8, "num_heads": 2, "num_layers": 2}
ONE: dict[str, Any] = {"layer": 1, "head": 0, "rows": [3, 4], "cols": [1, 2]}


def ask(text: Any = TEXT, **fields: Any) -> Trace:
    question = Question.model_validate({"text": text, "model": SMALL, **fields})
    return answer(make_plan(question, Limits(), pytest.fail))


def test_they_close_cells_of_one_head_and_the_rest_of_the_row_is_shared_out() -> None:
    plain, trace = ask(), ask(knockouts=[ONE])
    before, after = (one.layers[1]["weights"][0] for one in (plain, trace))
    assert np.all(after[0, 3:5, 1:3] == 0)
    np.testing.assert_array_equal(after[1], before[1])
    np.testing.assert_array_equal(after[0, :3], before[0, :3])
    kept = before[0, 3] * ~np.isin(np.arange(before.shape[-1]), ONE["cols"])
    np.testing.assert_allclose(after[0, 3], kept / kept.sum(), rtol=1e-12)
    np.testing.assert_array_equal(trace.layers[0]["weights"], plain.layers[0]["weights"])
    assert trace.checks.max_reference_error is not None
    assert trace.checks.max_reference_error < 1e-12
    assert trace.plan.id != plain.plan.id
    assert ask(knockouts=None).plan.id == plain.plan.id


def test_without_a_head_they_hold_for_all_and_compose_with_masks() -> None:
    trace = ask(causal=True, knockouts=[{**ONE, "head": None}], blocked=[[5, 0]])
    weights = trace.layers[1]["weights"][0]
    assert np.all(weights[:, 3:5, 1:3] == 0)
    assert np.all(weights[:, 5, 0] == 0)
    assert np.all(np.triu(weights, 1) == 0)
    explanation = explain(trace, "masked_scores", CellPlace(1, 1, 0, 3, 2))
    assert explanation.closed_by == ["knockout"]
    assert explain(trace, "masked_scores", CellPlace(0, 1, 0, 3, 2)).closed_by == []


def test_a_row_that_loses_every_key_is_zero() -> None:
    for layer in (0, 1):
        trace = ask(causal=True, knockouts=[{"layer": layer, "rows": [0], "cols": [0]}])
        assert np.all(trace.layers[layer]["weights"][:, :, 0] == 0)
        assert trace.checks.fully_masked_rows == 1
        assert trace.checks.max_row_sum_error is not None
        assert trace.checks.max_row_sum_error < 1e-12


def test_blocks_of_a_map_are_those_of_the_whole() -> None:
    trace = echo(TEXT, knockouts=[ONE])
    remade = answer(make_plan(trace.plan.question, Limits(large_maps=0), pytest.fail))
    assert remade.plan.remakes
    for one, other in zip(trace.layers, remade.layers, strict=True):
        np.testing.assert_array_equal(one["weights"], other["weights"])
    layer = remade.layers[1]
    assert isinstance(layer, RecomputedStages)
    factored = layer.factored()
    block = factored.block("weights", 0, 0, slice(0, 5), slice(0, 4))
    np.testing.assert_allclose(block, trace.layers[1]["weights"][0, 0, :5, :4], atol=1e-6)
    plain = echo(TEXT)
    apart = [max(step.difference for step in decode(one, 0, 0, step_ends(one.plan, 0, 3)))
             for one in (plain, trace)]  # fmt: skip
    assert apart[1] == pytest.approx(apart[0], abs=1e-4)


def test_a_long_text_takes_them_too() -> None:
    rows = [DENSE_TOKENS + 10]
    trace = ask(
        " ".join(["a"] * (DENSE_TOKENS + 20)), model={**SMALL, "num_layers": 1},
        knockouts=[{"layer": 0, "head": 1, "rows": rows, "cols": [5, 7]}],
    )  # fmt: skip
    layer = trace.layers[0]
    assert isinstance(layer, LongStages)
    factored = layer.factored
    there = slice(rows[0], rows[0] + 1)
    row = [factored.block("weights", 0, head, there, slice(4, 9))[0] for head in (0, 1)]
    assert row[1].tolist()[1::2] == [0, 0]
    assert np.all(row[1][::2] > 0)
    assert np.all(row[0] > 0)


def test_the_program_closes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(unpacked(ask(knockouts=[ONE, {**ONE, "layer": 0, "head": None}]), tmp_path))
    assert max(printed(capsys.readouterr().out).values()) < 1e-12


def test_of_two_halves_each_layer_has_its_own_keys(tmp_path: Path) -> None:
    folder = made_pair("bart", tmp_path)
    plain = ask_checkpoint(folder, "the cat", context="the animal was tired")
    cross = plain.plan.model.encoder_layers + 1
    n, m = plain.plan.n, plain.plan.m
    one = {"layer": cross, "head": 0, "rows": [0], "cols": [m - 1]}
    trace = ask_checkpoint(folder, "the cat", context="the animal was tired", knockouts=[one])
    assert trace.layers[cross]["weights"][0, 0, 0, m - 1] == 0
    assert trace.layers[cross]["weights"][0, 1, 0, m - 1] > 0
    with pytest.raises(InvalidRequest) as refused:
        ask_checkpoint(
            folder, "the cat", context="the animal", knockouts=[{**one, "cols": [n + m]}]
        )
    assert refused.value.at == "knockouts[0]"


def test_what_is_not_there_is_refused(subtests: pytest.Subtests) -> None:
    many = list(range(400))
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({**ONE, "layer": 2}, "no_such_head", "knockouts[0]"),
        ({**ONE, "layer": 2, "head": None}, "no_such_layer", "knockouts[0]"),
        ({**ONE, "head": 2}, "no_such_head", "knockouts[0]"),
        ({**ONE, "rows": [6]}, "blocked_out_of_range", "knockouts[0]"),
        ({**ONE, "cols": [6]}, "blocked_out_of_range", "knockouts[0]"),
        ({**ONE, "rows": many, "cols": many}, "knockouts_too_many", "knockouts"),
    ]
    for one, reason, at in cases:
        with subtests.test(reason, one=str(one)[:60]):
            with pytest.raises(InvalidRequest) as refused:
                ask(knockouts=[one])
            assert (refused.value.reason, refused.value.at) == (reason, at)
