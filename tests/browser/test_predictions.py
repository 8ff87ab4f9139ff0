"""What the model says under the tokens, by hand, and why a head looks where it looks."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, address_lacks

ECHO = "/?text=Winston%20Churchill%20met%20Harry%20Truman.%20Winston&source=installed&name=echo"


def test_predictions_are_walked_with_arrows_and_a_pressed_weight_is_taken_apart(
    window: Explore,
) -> None:
    window.open(ECHO)
    said = window.page.get_by_role("region", name="What the model says")
    options = said.get_by_role("option")
    options.nth(3).click()
    address_has(window.page, "after=3")
    window.page.keyboard.press("ArrowLeft")
    expect(options.nth(2)).to_be_focused()
    address_has(window.page, "after=2")
    expect(said.locator(".came")).to_be_visible()
    tokens = len(window.answer(window.question())["tokens"][0])
    window.click("weights", (5, 2), (tokens, tokens))
    address_lacks(window.page, "after=")
    expect(options.nth(5)).to_have_attribute("aria-selected", "true")
    window.inspector.get_by_text("Why does it look there?").click()
    parts = window.of_trace("cells/scores/parts", row=5, col=2)
    score = f"q · k = {parts['score']:.3f}".replace("-", "−")
    expect(window.inspector.locator(".why")).to_contain_text(score)
    table = window.inspector.get_by_role("table", name="Parts of the score")
    expect(table.get_by_role("rowheader")).to_have_count(len(parts["query_parts"]))
    expect(said).to_have_css("opacity", "1")
    window.sentence.fill("word " * 200)  # echo reads 128 pieces
    expect(said.locator(".surprise")).to_have_css("opacity", "0.55")
    window.sentence.fill("Emma met Emma")
    expect(said).to_have_css("opacity", "1")
    expect(options.first).to_have_accessible_name(re.compile("nothing was expected"))
