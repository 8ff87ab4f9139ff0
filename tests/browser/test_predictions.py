"""What the model says under the tokens: its surprise at each, and what it expects after one."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, address_lacks
from tests.browser.test_installed import ECHO


def told(explore: Explore, **query: int) -> dict[str, Any]:
    trace = explore.answer(explore.question())["trace"]
    address = f"{explore.url}/api/v1/traces/{trace}/predictions"
    found: dict[str, Any] = explore.page.request.get(address, params={**query}).json()
    return found


def percent(part: float) -> str:
    hundreds = 100 * part
    return f"{hundreds:.0f}" if hundreds >= 9.95 else f"{hundreds:.1f}"


def test_the_last_token_and_every_surprise_are_told_after_the_first_picture(
    window: Explore,
) -> None:
    window.watch.forget()
    window.open(ECHO)
    said = window.page.locator("#predictions")
    expect(said.get_by_role("listitem").first).to_be_visible()
    asked = [request.url for request in window.watch.requests]
    first = next(i for i, url in enumerate(asked) if url.endswith("/attention"))
    assert first < next(i for i, url in enumerate(asked) if "/predictions" in url)
    now = told(window, top=6)
    for item, likely in zip(said.locator(".likely li").all(), now["top"], strict=True):
        expect(item).to_contain_text(likely["piece"].strip())
        expect(item.locator(".number")).to_contain_text(percent(likely["probability"]))
    options = said.get_by_role("option")
    expect(options).to_have_count(len(now["surprises"]))
    expect(options.first).to_have_accessible_name(re.compile("nothing was expected"))
    expect(options.last).to_have_accessible_name(re.compile(f"{now['surprises'][-1]:.2f} nats"))
    expect(options.last).to_have_attribute("aria-selected", "true")


def test_what_was_expected_of_another_text_is_dimmed_where_one_is_refused(window: Explore) -> None:
    window.open(ECHO)
    said = window.page.locator("#predictions")
    expect(said.get_by_role("listitem").first).to_be_visible()
    expect(said).to_have_css("opacity", "1")
    window.sentence.fill("word " * 200)  # echo reads 128 pieces
    expect(said).to_have_css("opacity", "0.55")
    window.sentence.fill("Emma met Emma")
    expect(said).to_have_css("opacity", "1")


def test_another_position_is_chosen_by_a_press_and_walked_with_arrows(window: Explore) -> None:
    window.open(ECHO)
    said = window.page.locator("#predictions")
    options = said.get_by_role("option")
    options.nth(3).click()
    address_has(window.page, "after=3")
    window.page.keyboard.press("ArrowLeft")
    expect(options.nth(2)).to_be_focused()
    address_has(window.page, "after=2")
    expect(said.locator(".told")).not_to_be_empty()
    came = said.locator(".came")
    expect(came).to_contain_text("came")
    found = told(window, position=2)
    tokens = window.answer(window.question())["tokens"][0]
    assert found["position"] == 2
    expect(came.locator(".piece")).to_contain_text(tokens[3].strip())
    window.click("weights", (5, 2), (len(tokens), len(tokens)))
    address_lacks(window.page, "after=")
    expect(options.nth(5)).to_have_attribute("aria-selected", "true")


def test_a_dropped_head_shows_what_was_expected_before(window: Explore) -> None:
    window.open(ECHO)
    before = told(window, top=1)["top"][0]
    window.page.get_by_role("button", name=re.compile("^Drop head")).click()
    said = window.page.locator("#predictions")
    expect(said).to_contain_text("before and now")
    piece = said.locator(".likely li").filter(has_text=before["piece"].strip()).first
    expect(piece.locator("s")).to_contain_text(percent(before["probability"]))


def test_a_model_that_predicts_nothing_has_no_room_for_it(explore: Explore) -> None:
    expect(explore.page.locator("#predictions")).to_be_hidden()
    assert not [r for r in explore.watch.requests if "/predictions" in r.url]


def test_nothing_is_asked_of_the_trace_that_is_left_for_a_model_that_predicts(
    window: Explore,
) -> None:
    window.open("/?source=seeded&cell=weights.5.3")
    window.field("Model").select_option("installed:echo")
    expect(window.page.locator(".likely")).to_be_visible()
    assert window.watch.refusals == []
