"""Heads that do something: what the chapter says of echo is so on the shipped weights."""

from __future__ import annotations

import numpy as np

from attnscope.installed.model_registry import shipped, shipped_model
from attnscope.learn.chapters.habits import AGAIN, pieces
from attnscope.learn.chapters.habits_values import at_first, grown, induction, strongest
from attnscope.learn.chapters.worth import MISSED
from attnscope.learn.echo import ECHO, FIRST, INDUCTION, PREVIOUS, TEXT, asked
from attnscope.learn.exercises import stage
from attnscope.web.pages.first_screen import MODELS
from tests.test_repo import messages


def test_the_last_piece_looks_at_what_followed_it_before() -> None:
    tokens = pieces(asked(TEXT))
    weights = stage(asked(TEXT), "weights", INDUCTION[0])[INDUCTION[1]]
    first = tokens.index(tokens[-1])
    assert weights[-1].argmax() == first + 1
    assert weights[-1].max() > 0.5


def test_the_other_head_stands_in_the_layer_below_and_looks_one_back() -> None:
    assert PREVIOUS[0] < INDUCTION[0]
    weights = stage(asked(AGAIN), "weights", PREVIOUS[0])[PREVIOUS[1]]
    assert np.diag(weights, -1).mean() > 0.5


def test_all_heads_of_the_second_layer_are_induction_heads_on_random_pieces() -> None:
    here = sorted(induction(INDUCTION[0]))
    assert here[0] > 0.5
    assert here[1] > 0.95 * here[-1]  # three are nearly equal
    assert max(induction(PREVIOUS[0])) < 0.1
    assert strongest()["strongest"] == str(INDUCTION[1])
    assert induction(INDUCTION[0])[INDUCTION[1]] in here[1:]
    assert strongest()["missed"] != strongest()["strongest"]


def test_the_english_start_page_opens_on_the_head_that_is_missed_most() -> None:
    name, layer, head = MODELS["en"]
    assert {"source": "installed", "name": name} == ECHO
    assert messages("en")["first.text"] == TEXT
    assert (layer, head) == MISSED


def test_at_the_first_step_weights_are_spread_but_not_even() -> None:
    first = {name: float(text) for name, text in at_first().items()}
    assert 0.5 * first["even"] < first["least"] < first["most"] < first["even"]
    assert first["previous"] < 0.3
    assert first["follower"] < 0.3
    assert first["own"] > 0.5
    numbers = {name: float(text) for name, text in grown().items()}
    assert numbers["pairs"] < numbers["loss"] < numbers["pieces"]


def test_at_the_first_step_that_is_told_no_head_copies() -> None:
    weights = stage({"text": TEXT, "model": FIRST}, "weights", INDUCTION[0])
    assert (weights[:, -1, pieces(asked(TEXT)).index(pieces(asked(TEXT))[-1]) + 1] < 0.3).all()


def test_the_habits_leap_together_and_the_loss_rises_there() -> None:
    course = shipped_model("echo").figures["course"]
    leap = next(i for i, step in enumerate(course) if step["copied"] > 0.5)
    before, after = course[leap - 1], course[leap]
    assert after["induction"] > 2 * before["induction"]
    assert after["previous"] > 2 * before["previous"] or before["previous"] > 0.5
    assert after["loss"] > before["loss"]
    assert course[-1]["loss"] < before["loss"] < course[0]["loss"]
    assert len(shipped().models["echo"].revisions) == 5
