"""Heads that do something: what the chapter says of echo is so on the shipped weights."""

from __future__ import annotations

import numpy as np

from app.installed.shelf import shipped
from app.learn.chapters.habits import AGAIN, pieces
from app.learn.echo import FIRST, INDUCTION, PREVIOUS, TEXT, asked
from app.learn.exercises import stage


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


def test_at_the_first_step_that_is_told_no_head_copies() -> None:
    weights = stage({"text": TEXT, "model": FIRST}, "weights", INDUCTION[0])
    assert (weights[:, -1, pieces(asked(TEXT)).index(pieces(asked(TEXT))[-1]) + 1] < 0.3).all()


def test_the_habits_leap_together_and_the_loss_rises_there() -> None:
    course = shipped().models["echo"].figures["course"]
    leap = next(i for i, step in enumerate(course) if step["copied"] > 0.5)
    before, after = course[leap - 1], course[leap]
    assert after["induction"] > 2 * before["induction"]
    assert after["previous"] > 2 * before["previous"] or before["previous"] > 0.5
    assert after["loss"] > before["loss"]
    assert course[-1]["loss"] < before["loss"] < course[0]["loss"]
    assert len(shipped().models["echo"].revisions) == 6
