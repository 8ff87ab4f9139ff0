"""The menu of examples in a real browser: its pictures come with their cards, and one is opened."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.hands import Explore, until
from tests.browser.pixels import CENTRES


def test_the_cards_are_drawn_when_they_are_seen_and_one_is_opened(explore: Explore) -> None:
    page, menu = explore.page, explore.page.locator("#examples")
    assert not [r.url for r in explore.watch.requests if "/stages/weights" in r.url]
    page.get_by_text("Examples", exact=True).click()
    picture = menu.locator(".gallery canvas").first
    until(page, lambda: any(picture.evaluate(CENTRES, [4, 4])), "it has its picture")
    replies = page.request.get(f"{explore.url}/api/v1/examples").json()["examples"]
    example = next(each for each in replies if each["id"] == "three-tensor")
    card = menu.get_by_role("button", name=re.compile(re.escape(example["title"])))
    explore.shows(explore.ask(card.click), ["q", "weights"])
    expect(menu.locator(".panel")).to_be_hidden()
    expect(explore.inspector.get_by_role("heading", name=example["title"])).to_be_visible()
