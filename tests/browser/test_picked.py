"""Tokens picked among the chips with keys, and the strip that fades where it goes on."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, address_lacks


def test_the_strip_of_chips_fades_where_it_goes_on_and_its_chips_are_picked_with_keys(
    window: Explore,
) -> None:
    page = window.page
    window.open("/?text=a%20cat%20sat")
    assert not [r for r in window.watch.requests if r.url.endswith("/picked/token-sums.js")]
    strip = window.tokens
    chips = strip.get_by_role("option")
    expect(strip).not_to_have_attribute("data-after", "")
    window.sentence.fill(" ".join(["elephants"] * 40))
    expect(chips).to_have_count(40)
    expect(strip).to_have_attribute("data-after", "")
    expect(strip).not_to_have_attribute("data-before", "")
    strip.focus()
    page.keyboard.press("End")
    expect(strip).to_have_attribute("data-before", "")
    expect(strip).not_to_have_attribute("data-after", "")
    chips.nth(2).click()
    for key in ("ArrowRight", "ArrowRight", "Shift+Enter", "End", "Shift+Space"):
        page.keyboard.press(key)
    address_has(page, "picked=query.2_4_39")
    picked = page.get_by_role("region", name="Picked tokens")
    expect(picked.locator(".number").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#picked")).to_be_empty()
    address_lacks(page, "picked")
