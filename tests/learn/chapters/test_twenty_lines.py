"""Twenty lines: the programs of the chapter run, and make what the engine makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attnscope.learn.chapters.twenty_lines import number_of_a_head, without_transpose
from attnscope.learn.chapters.twenty_lines_code import LANGUAGES, STEPS, count_statements, program
from attnscope.learn.chapters.twenty_lines_values import in_heads, memory_rows, misread, split_rows
from attnscope.learn.exercises import compute_trace
from attnscope.trace.trace import Trace

NAMES = [step.stage for step in STEPS]
QUESTIONS = pytest.mark.parametrize(("d_model", "num_heads", "text"), [
    (64, 4, "The animal didn't cross the street because it was too tired."),
    (6, 1, ["a b c", "d e f"]),
    (8, 8, "我 喜欢 猫"),
    (12, 3, "word"),
])  # fmt: skip


def asked(d_model: int, num_heads: int, text: str | list[str]) -> tuple[Trace, dict[str, Any]]:
    """The answer, and what the programs start from."""
    model = {"source": "seeded", "seed": 7, "d_model": d_model, "num_heads": num_heads}
    trace = compute_trace({"text": text, "model": model, "causal": True})
    p = trace.parameters[0].arrays()
    return trace, {name: p[name] for name in ("w_q", "w_k", "w_v", "w_o")} | {"h": num_heads}


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@QUESTIONS
def test_the_numpy_program_makes_every_stage(
    d_model: int, num_heads: int, text: str | list[str]
) -> None:
    trace, given = asked(d_model, num_heads, text)
    made = {"x": trace.layers[0]["x"], **given}
    exec(program("numpy"), made)
    for name in NAMES:
        close(made[name], trace.layers[0][name])


@QUESTIONS
def test_the_loops_make_every_stage_of_every_sentence(
    d_model: int, num_heads: int, text: str | list[str]
) -> None:
    trace, given = asked(d_model, num_heads, text)
    listed = {name: a if name == "h" else a.tolist() for name, a in given.items()}
    for b, x in enumerate(trace.layers[0]["x"]):
        made = {"x": x.tolist(), **listed}
        exec(program("loops"), made)
        for name in NAMES[1:]:
            stage = trace.layers[0][name][b]
            assert sorted(made[name]) == sorted(np.ndindex(stage.shape))
            close(np.array([made[name][at] for at in np.ndindex(stage.shape)]), stage.ravel())


def test_each_language_has_lines_for_every_step_that_fit_their_column() -> None:
    assert {len(step.codes) for step in STEPS} == {len(LANGUAGES)}
    for step in STEPS:
        for code in step.codes:
            assert f"{step.stage} = " in code or step.stage == "x"
            assert max(map(len, code.splitlines())) <= 38
    assert count_statements("numpy") <= 20
    assert count_statements("torch") <= 20
    assert program("torch").count("\n") == count_statements("torch") + 2  # two are broken in two


def test_reshape_alone_gives_a_head_the_rows_of_one_token() -> None:
    rows = split_rows()
    assert [row[1] for row in rows] == ["0, 1", "4, 5", "2, 3", "6, 7"]
    assert [row[2] for row in rows] == ["0, 1", "2, 3", "4, 5", "6, 7"]
    np.testing.assert_array_equal(in_heads(np.arange(8).reshape(2, 4), 2)[0], [[0, 1], [4, 5]])
    assert float(misread()["difference"]) > 0.5


def test_only_a_product_and_the_last_reshape_write_numbers() -> None:
    assert [(row[0][:1], row[3]) for row in memory_rows()] == [
        ("a", "8"), ("b", "0"), ("c", "0"), ("o", "8"), ("e", "0"), ("f", "8"),
    ]  # fmt: skip


def test_exercises_are_answered_by_counting_columns() -> None:
    for seed in range(8):
        for make in (number_of_a_head, without_transpose):
            exercise = make(np.random.default_rng(seed))
            whole = np.array(exercise.given[0].values)
            s, i, c = (exercise.values[name] for name in "sic")
            num_heads = exercise.values["num_heads"]
            if make is number_of_a_head:
                assert exercise.answer == whole[i, 2 * s + c]
            else:
                assert exercise.answer == whole.ravel().tolist()[4 * s + 2 * i + c]
            assert whole.shape == (2, 2 * num_heads)
