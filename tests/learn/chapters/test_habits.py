"""Heads with habits: what the chapter says of echo and echo-zh is so on their weights."""

from __future__ import annotations

import numpy as np
import pytest

from attnscope.installed.model_registry import shipped, shipped_model
from attnscope.learn.chapters.habits import AGAIN, AGAIN_ZH, DIGITS, pieces
from attnscope.learn.chapters.habits_values import (
    HABIT,
    at_first,
    grown,
    induction,
    levels,
    steps,
    strongest,
)
from attnscope.learn.chapters.worth import MISSED
from attnscope.learn.echo import CHINESE, ENGLISH, FIRST, Echo, echo_question
from attnscope.learn.exercises import stage
from attnscope.learn.head_ablation import LAYER
from attnscope.web.pages.first_screen import MODELS
from tests.test_repo import messages

BOTH = pytest.mark.parametrize("echo", [ENGLISH, CHINESE], ids=["en", "zh"])


@pytest.mark.parametrize("echo", [ENGLISH, CHINESE, DIGITS], ids=["en", "zh", "digits"])
def test_the_last_piece_looks_at_what_followed_it_before(echo: Echo) -> None:
    tokens = pieces(echo.asked())
    layer, head = echo.induction
    weights = stage(echo.asked(), "weights", layer)[head]
    first = tokens.index(tokens[-1])
    assert weights[-1].argmax() == first + 1
    assert weights[-1].max() > 0.5


@BOTH
def test_the_other_head_stands_in_the_layer_below_and_looks_one_back(echo: Echo) -> None:
    layer, head = echo.previous
    assert layer < echo.induction[0]
    text = AGAIN if echo == ENGLISH else None
    weights = stage(echo.asked(text), "weights", layer)[head]
    assert np.diag(weights, -1).mean() > 0.5


def test_each_of_four_characters_said_twice_looks_at_what_followed_it() -> None:
    layer, head = CHINESE.induction
    rows = stage(CHINESE.asked(AGAIN_ZH), "weights", layer)[head][4:]
    assert rows.argmax(1).tolist() == [1, 2, 3, 4]


def test_in_english_one_head_of_the_second_layer_is_no_induction_head() -> None:
    strength, here = strongest(ENGLISH), sorted(induction(ENGLISH, LAYER))
    assert (strength["habitual"], strength["count"]) == ("3", "4")
    assert here[0] < 0.2 < 0.85 < here[1]
    assert here[-1] - here[1] < 0.1
    assert float(strength["weakest_share"]) == round(here[0], 2)


def test_in_chinese_all_heads_of_the_second_layer_are_and_three_are_nearly_equal() -> None:
    here = sorted(induction(CHINESE, LAYER))
    assert strongest(CHINESE)["habitual"] == str(len(here))
    assert here[0] > 0.5
    assert here[1] > 0.95 * here[-1]


@BOTH
def test_rounded_bounds_hold(echo: Echo) -> None:
    strength, bounds = strongest(echo), levels(echo)
    for below in (strength["below"], bounds["below"]):
        assert max(induction(echo, 0)) <= float(below)
    habitual = [head for head in induction(echo, LAYER) if head > HABIT]
    assert float(strength["least"]) <= min(habitual)
    assert float(bounds["above"]) <= max(habitual)


@BOTH
def test_the_strongest_head_is_not_the_one_that_the_sentence_misses_most(echo: Echo) -> None:
    layer, head = echo.induction
    here = sorted(induction(echo, layer))
    assert max(induction(echo, echo.previous[0])) < 0.1
    assert strongest(echo)["strongest"] == str(head)
    assert induction(echo, layer)[head] in here[1:]
    assert strongest(echo)["missed"] != strongest(echo)["strongest"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_start_page_opens_on_the_head_that_is_missed_most(language: str) -> None:
    echo = ENGLISH if language == "en" else CHINESE
    name, layer, head = MODELS[language]
    assert name == echo.name
    assert messages(language)["first.text"] == echo.text
    assert (layer, head) == MISSED


@pytest.mark.parametrize("text", [ENGLISH.text, DIGITS.text])
def test_at_the_first_step_weights_are_spread_but_not_even(text: str) -> None:
    first = {name: float(number) for name, number in at_first(text).items()}
    assert 0.5 * first["even"] < first["least"] < first["most"] < first["even"]
    assert first["previous"] < 0.35
    assert first["follower"] < 0.3
    assert first["own"] > 0.45
    numbers = {name: float(number) for name, number in grown(ENGLISH).items()}
    assert numbers["pairs"] < numbers["loss"] < numbers["pieces"]


def test_at_the_first_step_that_is_kept_no_head_copies() -> None:
    text = ENGLISH.text
    weights = stage({"text": text, "model": FIRST}, "weights", ENGLISH.induction[0])
    tokens = pieces(echo_question(text))
    assert (weights[:, -1, tokens.index(tokens[-1]) + 1] < 0.3).all()


@BOTH
def test_the_habits_leap_together_and_the_loss_rises_there(echo: Echo) -> None:
    course, (before, after) = shipped_model(echo.name).figures["course"], steps(echo.name)
    assert after["induction"] > 2 * before["induction"]
    assert after["previous"] > 2 * before["previous"]
    assert after["step"] - before["step"] <= 200
    assert after["loss"] > before["loss"]
    assert course[-1]["loss"] < before["loss"] < course[0]["loss"]


def test_only_echo_has_checkpoints() -> None:
    assert {name: len(one.revisions) for name, one in shipped().models.items()} | {
        "echo": 5, "echo-zh": 1
    } == {name: len(one.revisions) for name, one in shipped().models.items()}  # fmt: skip
