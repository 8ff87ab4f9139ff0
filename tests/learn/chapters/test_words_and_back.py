"""Words to x and back: tables hold what the models are made of, and say what they predict."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from attnscope.analysis.predictions import likeliest
from attnscope.installed.model_registry import shipped_model
from attnscope.learn.chapters import words_and_back_values as computed
from attnscope.learn.chapters.words_and_back import PLACES, looked_up, row_of_x
from attnscope.learn.echo import CHINESE, ENGLISH, Echo
from attnscope.learn.exercises import stage
from attnscope.learn.head_ablation import percent, trace_of
from attnscope.web.pages.learn import exercises_for
from attnscope.weights.schemes import seeded_embedding


def test_a_product_of_two_by_two_is_written_out_right() -> None:
    assert [row[1:] for row in computed.products()] == [
        ["1 × 2 + 2 × 1", "4"], ["1 × 0 + 2 × (−1)", "−2"],
        ["3 × 2 + (−1) × 1", "5"], ["3 × 0 + (−1) × (−1)", "1"],
    ]  # fmt: skip
    (x, q, k, scores) = (stage(computed.TWO, name) for name in ("x", "q", "k", "scores"))
    np.testing.assert_array_equal(k[0], x)
    np.testing.assert_array_equal(scores[0], [[0, 14], [7, 14]])
    np.testing.assert_array_equal(q[0] @ x.T, scores[0])


def test_one_more_is_e_times_as_much_and_shares_add_up() -> None:
    each = [float(row[1]) for row in computed.powers()]
    assert each[2] == pytest.approx(2.718)
    for less, more in pairwise(each):
        assert more / less == pytest.approx(math.e, rel=2e-3)
    assert sum(float(row[2]) for row in computed.powers()) == pytest.approx(1, abs=2e-3)


@pytest.mark.parametrize("echo", [ENGLISH, CHINESE])
def test_a_row_of_x_is_the_row_of_the_table_with_the_number_of_the_piece(echo: Echo) -> None:
    model, x = shipped_model(echo.name), trace_of(echo).layers[0]["x"][0]
    table, rows = model.read(model.newest).embedding, computed.x_rows(echo)
    for row, place in zip(rows, computed.SHOWN_ROWS, strict=True):
        np.testing.assert_array_equal(x[place], table[int(row[1])])
        assert float(row[2].replace("−", "-")) == pytest.approx(table[int(row[1]), 0], abs=5e-4)
    assert rows[0] == rows[-1] != rows[1]


def test_pieces_that_are_used_alike_lie_near_each_other() -> None:
    near = {row[0]: " ".join(row[1:]) for row in computed.nearest_rows(ENGLISH)}
    assert "␣mother" in near["␣father"]
    assert "␣six" in near["␣seven"]
    assert "␣he " in near["␣she"]
    near = {row[0]: row[1][0] for row in computed.nearest_rows(CHINESE)}
    assert near == {"春": "秋", "三": "八", "雨": "雪", "不": "未"}


@pytest.mark.parametrize(("echo", "said"), [(ENGLISH, "␣Darcy"), (CHINESE, "外")])
def test_the_likeliest_pieces_are_those_of_the_predictions(echo: Echo, said: str) -> None:
    expected = likeliest(trace_of(echo), 0, computed.PREDICTED_ROW, computed.TOP)
    rows = computed.likeliest_rows(echo)
    for row, one in zip(rows, expected, strict=False):
        assert row[0] == computed.shown(one.piece)
        assert row[3] == percent(math.exp(one.log_probability))
    values, (first, second) = computed.place_of_echo(echo), expected[:2]
    ratio = math.exp(first.log_probability - second.log_probability)
    assert values["said"] == said
    assert float(values["times"]) == pytest.approx(ratio, abs=0.6)
    powers = [float(row[2].replace(",", "")) for row in rows]
    assert math.exp(first.log_probability) == pytest.approx(powers[0] / sum(powers), abs=1e-4)


@pytest.mark.parametrize("block", ["residual", "attention"])
def test_an_untrained_logit_is_the_product_with_the_words_own_row(block: str) -> None:
    words, z, p = computed.seeded_back(block, 3)
    model = {"source": "seeded", "seed": 3, "d_model": 16, "num_heads": 4, "block": block}
    y = stage({"tokens": list(computed.WORDS[ENGLISH]), "model": model}, "block_output")[-1]
    for word, logit in zip(words, z, strict=True):
        row = seeded_embedding(word, 3, 16)
        assert logit == pytest.approx(sum(a * b for a, b in zip(y, row, strict=True)))
    powers = [math.exp(logit) for logit in z]
    np.testing.assert_allclose(p, [power / sum(powers) for power in powers], rtol=1e-9)


def test_with_a_residual_an_untrained_model_repeats_the_word() -> None:
    for echo in (ENGLISH, CHINESE):
        values = computed.untrained(echo)
        assert int(values["repeats"]) >= 0.95 * int(values["seeds"])
        assert int(values["alone"]) < int(values["seeds"]) / 2


def test_looking_up_is_a_product() -> None:
    table, words = np.array([[3.0, -1], [0, 2], [1, 1]]), [2, 0, 0, 1]
    found = stage(looked_up(words, table), "q")[0]
    np.testing.assert_array_equal(found, table[words] + PLACES)
    exercise = row_of_x(np.random.default_rng(1))
    ids = [int(one) for one in str(exercise.values["ids"]).split(", ")]
    place, column = exercise.values["place"], exercise.values["column"]
    embedding, position = (given.values for given in exercise.given)
    assert exercise.answer == embedding[ids[place]][column] + position[place][column]


def test_the_rows_that_words_are_chosen_by_are_the_unembedding() -> None:
    exercise = exercises_for("next_word", 0, "en")[0]
    assert [given.name for given in exercise.given] == ["output", "unembedding"]
