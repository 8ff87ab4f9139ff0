"""Decode by hand: steps walked with keys, a text that is continued, and a long word."""

from __future__ import annotations

from typing import Any

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, until
from tests.browser.pixels import alike, centres, painted

TEXT = "Winston Churchill met Harry Truman. Winston"
ECHO = f"/?text={TEXT.replace(' ', '%20')}&source=installed&name=echo"


def panel(explore: Explore) -> Locator:
    return explore.panel("Decode")


def shows(explore: Explore, rows: int, step: dict[str, Any], largest: float) -> None:
    """Waits until the cache of keys shows the rows of a step, and no others."""
    kept = np.array(step["k"][0])
    wanted = np.full((rows, kept.shape[1]), np.nan)
    wanted[: len(kept)] = kept
    canvas = panel(explore).locator(".rows-of.axis-key canvas").last
    colours = painted(wanted, explore.colours("diverging"), -largest, largest)
    until(
        explore.page, lambda: alike(centres(canvas, *wanted.shape), colours), "the rows of a step"
    )


def test_steps_are_walked_with_keys_and_a_text_is_continued_and_undone(window: Explore) -> None:
    window.open(ECHO)
    window.tab("Decode").click()
    steps = window.of_trace("decode", layer=0, head=0)["steps"]
    n = len(steps)
    words, slider = panel(window).locator(".words"), panel(window).get_by_label("Step of decoding")
    expect(words).to_contain_text(f"Step {n} of {n}")
    slider.focus()
    window.page.keyboard.press("ArrowLeft")
    expect(words).to_contain_text(f"Step {n - 1} of {n}")
    shows(window, n, steps[n - 2], float(np.abs(steps[-1]["k"]).max()))
    window.page.keyboard.press("Home")
    expect(words).to_contain_text(f"Step 1 of {n}")
    expect(slider).to_have_attribute("aria-valuetext", words.text_content() or "")
    writing = panel(window).locator(".writing")
    writing.get_by_label("Tokens").fill("5")
    writing.get_by_label("Tokens").press("Enter")
    expect(writing.get_by_role("listitem")).to_have_count(5)
    trace = window.answer({**window.question(), "text": TEXT})["trace"]
    address = f"{window.url}/api/v1/traces/{trace}/continuations"
    reply = window.page.request.post(address, data={"tokens": 5}).json()
    expect(window.sentence).to_have_value(TEXT + reply["text"])
    window.page.get_by_role("button", name="Undo").click()
    expect(window.sentence).to_have_value(TEXT)
    expect(writing.get_by_role("listitem")).to_have_count(0)


def test_a_very_long_word_leaves_the_values_their_place(window: Explore) -> None:
    window.page.goto(f"{window.url}/?tab=decode&text={'Donaudampfschiff' * 4}")
    expect(window.page.get_by_text("1 token", exact=True)).to_be_visible()
    panel(window).locator(".rows-of canvas").first.wait_for()
    frame = panel(window).locator(".cache-frame")
    assert frame.evaluate("(frame) => frame.scrollWidth <= frame.clientWidth")
