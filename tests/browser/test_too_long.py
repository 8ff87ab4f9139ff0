"""A text too long for whole maps, in a browser: the reason in place of a tab, and a file of it."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import LONG, Explore, address_has, until

WORDS = [f"w{at % 97}" for at in range(4500)]
SMALL = "source=seeded&num_heads=1&d_model=8"
FOUR = "source=seeded&num_heads=4&d_model=8"


def card(explore: Explore) -> Locator:
    return explore.page.locator(".too-long:visible")


def open_text(explore: Explore, question: str, words: list[str]) -> None:
    text = quote(json.dumps({"text": " ".join(words)}))
    explore.page.goto(f"{explore.url}/?{question}#{text}", wait_until="commit")


def test_a_tab_gives_way_to_the_reason_and_the_picture_is_saved(window: Explore) -> None:
    page = window.page
    open_text(window, f"{SMALL}&tab=gradients", WORDS)
    expect(card(window)).to_contain_text("This text is too long for Gradients", timeout=LONG)
    expect(card(window)).to_contain_text("It works up to about 2,400 tokens with this model.")
    expect(page.locator("#panels > [role=tabpanel]:visible > :visible")).to_have_count(0)
    expect(window.tab("Laboratory")).to_have_accessible_description(
        "For a shorter text: this one has 4,500 tokens."
    )
    card(window).get_by_role("button", name="Open the Map").click()
    address_has(page, "tab=map")
    expect(card(window)).to_have_count(0)
    page.get_by_role("button", name="Share & export", exact=True).click()
    dialog = page.get_by_role("dialog", name="Share & export")
    expect(dialog.get_by_role("button", name="CSV", exact=True)).to_be_disabled()

    def names() -> list[str]:
        with page.expect_download() as download:
            dialog.get_by_role("button", name="SVG", exact=True).click()
        svg = download.value.path().read_text(encoding="utf-8")
        found = re.findall(r'text-anchor="end">(\w+)</text>', svg)
        return found if all(re.match("w[0-9]", name) for name in found) else []

    assert len(until(page, names, "every name is a word")) > 20
    page.keyboard.press("Escape")
    assert window.watch.refusals == []


@pytest.mark.full
def test_a_text_that_is_too_long_for_gradients_alone_has_them_once_it_is_shortened(
    window: Explore,
) -> None:
    open_text(window, f"{FOUR}&tab=gradients", WORDS[:1700])
    cut = card(window).get_by_role("button", name=re.compile(r"Use the first 1,\d00 tokens"))
    cut.click(timeout=LONG)
    shown = window.page.locator("#panel-gradients [data-stage=output] canvas[data-layer]")
    expect(shown).to_be_visible(timeout=LONG)
    expect(card(window)).to_have_count(0)
    assert window.watch.refusals == []
