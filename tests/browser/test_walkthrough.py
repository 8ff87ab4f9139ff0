"""The computation step by step, in real time: it is opened, played, led by keys and closed."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_lacks


def test_it_opens_plays_follows_the_keys_and_closes(explore: Explore) -> None:
    page, press = explore.page, explore.page.keyboard.press
    opening = page.get_by_role("button", name="Step by step", exact=True)
    message = page.get_by_role("region", name="Step by step")
    play, pause = (message.get_by_role("button", name=name) for name in ("Play", "Pause"))
    heading = message.get_by_role("heading", level=2)
    asked = [request.url for request in explore.watch.requests]
    assert not any("/walkthrough/stepper.js" in url for url in asked)
    opening.click()
    expect(pause).to_be_visible()
    message.get_by_role("combobox", name="Speed").select_option("4")
    message.get_by_role("slider", name="Moment of the computation").fill("7.5")
    expect(heading).to_have_text("x to q and k")
    play.click()
    expect(heading).to_have_text("q · k")
    pause.click()
    expect(play).to_be_visible()
    expect(page).to_have_url(re.compile(r"step=\w+\.\d+"))
    kept = page.evaluate("location.href")
    page.set_viewport_size({"width": 1024, "height": 768})
    page.reload()
    expect(message).to_be_in_viewport(ratio=0.99)  # a link to a step shows that step
    expect(page).to_have_url(kept)
    expect(heading).not_to_be_empty()
    message.focus()
    for key, title in (
        ("End", "All rows"),
        ("Home", "x to q and k"),
        ("ArrowRight", "q · k"),
        ("ArrowRight", "Scale"),
        ("ArrowLeft", "q · k"),
    ):
        press(key)
        expect(heading).to_have_text(title)
    press("Space")
    expect(pause).to_be_visible()
    press("Space")
    expect(play).to_be_visible()
    press("Escape")
    expect(message).to_be_hidden()
    address_lacks(page, "step")
    opening.click()
    message.get_by_role("button", name="Close step by step").click()
    expect(message).to_be_hidden()
    address_lacks(page, "step")
