"""An edit that is taken back by key while its parameters are still on their way."""

from __future__ import annotations

import json

from playwright.sync_api import Route, expect

from tests.browser.hands import ATTENTION, Explore, until
from tests.browser.test_change import asked, button, typed


def test_an_edit_on_its_way_is_taken_back_by_key_and_nothing_else(window: Explore) -> None:
    page = window.page
    held: list[Route] = []

    def hold(route: Route) -> None:
        if "parameters" in json.loads(route.request.post_data or "{}"):
            held.append(route)
        else:
            route.fallback()

    window.open("/?text=a%20b%20c&d_model=4&num_heads=2&cell=w_q.0.0")
    model = window.field("Model")
    expect(typed(window)).not_to_have_value("")
    asked(window, lambda: window.sentence.fill("d e f g"))  # a step before
    expect(page.locator("body")).to_have_attribute("data-status", "ready")
    was = typed(window).input_value()
    page.route(ATTENTION, hold)
    typed(window).click()
    page.keyboard.type("0.5")
    until(page, lambda: held, "the parameters are asked for")
    typed(window).press("Control+z")
    expect(typed(window)).to_have_value(was)
    for route in held:
        with page.expect_response(ATTENTION):
            route.continue_()
    button(window, "Undo").click()
    expect(window.sentence).to_have_value("a b c")
    button(window, "Redo").click()
    expect(window.sentence).to_have_value("d e f g")
    expect(typed(window)).to_have_value(was)
    expect(model).to_have_value("seeded")
