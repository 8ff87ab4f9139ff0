"""Tokens that are replaced by hand, the flash of what that changed, and the change in the cards."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

from tests.browser.hands import Explore, until
from tests.browser.pixels import alike, centres, painted, stage_cells
from tests.browser.test_change import asked, button

# Counts what flashes.
GATHER = """() => {
  window.lit = 0;
  const note = (node) => { window.lit += Number(Boolean(node.matches?.(".flash"))); };
  const watch = new MutationObserver((all) => all.forEach((each) => each.addedNodes.forEach(note)));
  watch.observe(document.querySelector("#pipeline"), { childList: true, subtree: true });
}"""


def test_a_token_is_replaced_by_key_and_by_hand_and_its_change_is_shown(window: Explore) -> None:
    page = window.page
    window.open("/?text=a%0Aa%20dog%20sat&batch=1&causal=false&d_model=8&num_heads=2")
    before = window.question()
    page.evaluate(GATHER)
    strip = window.tokens
    strip.focus()
    strip.press("ArrowRight")
    strip.press("F2")
    field = page.get_by_role("textbox", name="In place of dog")
    expect(field).to_be_focused()
    field.press("Escape")
    expect(field).to_have_count(0)
    expect(strip).to_be_focused()
    strip.press("F2")
    field.fill("cat")
    now = asked(window, lambda: field.press("Enter"))
    assert now["text"] == ["a", "a cat sat"]
    until(page, lambda: page.evaluate("window.lit"), "a flash")
    expect(page.locator(".flash")).to_have_count(0)

    button(window, "Show change").click()
    canvas = window.card("weights").locator(".change canvas[data-layer][data-head]")
    was, cells = (
        stage_cells(window.answer(body), "weights", 0, 0, 1).astype(float) for body in (before, now)
    )
    size = float(np.nanmax(np.abs(cells - was)))
    wanted = painted(cells - was, window.colours("diverging"), -size, size)
    until(page, lambda: alike(centres(canvas, 3, 3), wanted), "the change of the weights")
    page.keyboard.press("Escape")
    window.shows(now, ["weights"], place=(0, 0, 1))

    strip.get_by_role("option", name="sat").dblclick()
    field = page.get_by_role("textbox", name="In place of sat")
    field.fill("ran")
    assert asked(window, lambda: field.press("Enter"))["text"] == ["a", "a cat ran"]
