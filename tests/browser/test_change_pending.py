"""Edits whose parameters are still on their way: undone, refused, or overtaken."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.hands import ATTENTION, Explore, until
from tests.browser.test_change import asked, button, typed

SMALL = "/?text=a%20b%20c&d_model=4&num_heads=2&cell=w_q.0.0"
BUSY = {"title": "Busy", "detail": "Wait a moment.", "status": 429, "code": "busy"}


def wants_parameters(route: Route) -> bool:
    return "parameters" in json.loads(route.request.post_data or "{}")


class Gate:
    """Holds what is asked of parameters until it is opened."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.held: list[Route] = []
        self.shut = True
        page.route(ATTENTION, self.hold)

    def hold(self, route: Route) -> None:
        if self.shut and wants_parameters(route):
            self.held.append(route)
        else:
            route.fallback()

    def wait(self) -> None:
        until(self.page, lambda: self.held, "the parameters are asked for")

    def open(self) -> None:
        self.shut = False
        for route in self.held:
            with self.page.expect_response(ATTENTION):
                route.continue_()
        self.page.wait_for_timeout(100)  # what comes of them


@pytest.fixture
def gate(explore: Explore) -> Gate:
    """A small question, asked after another, with a number that can be typed."""
    explore.open(SMALL)
    explore.drawer()  # so that reading the model moves no focus
    expect(typed(explore)).not_to_have_value("")
    asked(explore, lambda: explore.sentence.fill("d e f g"))  # a step before
    expect(explore.page.locator("body")).to_have_attribute("data-status", "ready")
    return Gate(explore.page)


def model(explore: Explore) -> str:
    return explore.field("Model").input_value()


@pytest.mark.parametrize("way", ["Escape", "Control+z", "Undo"])
def test_an_edit_on_its_way_is_undone_and_nothing_else(
    explore: Explore, gate: Gate, way: str
) -> None:
    was = typed(explore).input_value()
    typed(explore).click()
    explore.page.keyboard.type("0.5")
    gate.wait()
    if way == "Undo":
        button(explore, "Undo").click()
    else:
        typed(explore).press(way)
    expect(typed(explore)).to_have_value(was)
    gate.open()
    assert model(explore) == "seeded"
    expect(typed(explore)).to_have_value(was)
    expect(explore.sentence).to_have_value("d e f g")
    button(explore, "Undo").click()
    expect(explore.sentence).to_have_value("a b c")
    button(explore, "Redo").click()
    expect(explore.sentence).to_have_value("d e f g")


def test_what_is_typed_meanwhile_is_one_step_and_words_are_kept(
    explore: Explore, gate: Gate
) -> None:
    typed(explore).click()
    explore.page.keyboard.type("0.5")
    gate.wait()
    explore.sentence.fill("h i")
    gate.open()
    expect(explore.field("Model")).to_have_value("explicit")
    expect(typed(explore)).to_have_value("0.5")
    expect(explore.sentence).to_have_value("h i")
    button(explore, "Undo").click()
    assert model(explore) == "seeded"
    expect(explore.sentence).to_have_value("h i")


@pytest.mark.parametrize("act", ["source", "seed"])
def test_a_later_choice_of_model_is_not_overridden(explore: Explore, gate: Gate, act: str) -> None:
    typed(explore).fill("0.5")
    gate.wait()
    if act == "source":
        explore.field("Model").select_option("crafted")
    else:
        explore.field("seed").fill("77")
    gate.open()
    explore.page.wait_for_timeout(300)
    assert model(explore) == ("crafted" if act == "source" else "seeded")
    assert explore.watch.complaints == []


@pytest.mark.parametrize(
    ("failure", "words"),
    [("gone", "The server does not answer."), ("busy", BUSY["detail"])],
)
def test_an_edit_without_its_parameters_says_so_and_is_not_shown(
    explore: Explore, gate: Gate, failure: str, words: str
) -> None:
    page, was = explore.page, typed(explore).input_value()

    def fail(route: Route) -> None:
        if failure == "gone":
            route.abort("connectionrefused")
        else:
            route.fulfill(status=429, json=BUSY)

    page.route(ATTENTION, fail)
    said = page.locator("#notice").filter(has_text=words)
    typed(explore).click()
    page.keyboard.type("0.5")
    expect(said).to_be_visible()
    expect(typed(explore)).to_have_value(was)
    assert model(explore) == "seeded"
    page.unroute(ATTENTION)
    asked(explore, lambda: page.keyboard.type("7"))
    expect(said).to_be_hidden()
    expect(typed(explore)).to_have_value("7")
    button(explore, "Undo").click()
    assert model(explore) == "seeded"
    expect(explore.sentence).to_have_value("d e f g")
