"""The tokens of long texts: a window of chips, ways on, a search, and names that come as they are
looked at."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, until

WORDS = [f"w{at % 97}" for at in range(1000)]
PLAIN = "/?source=seeded&num_heads=1&d_model=8"
SOME = f"{PLAIN}&text={quote(' '.join(WORDS))}"


def chips(explore: Explore) -> Locator:
    return explore.page.locator("#tokens .chip")


def strip(explore: Explore) -> Locator:
    return explore.page.locator("#tokens .chips")


def count(explore: Explore) -> Locator:
    return explore.page.locator("#tokens .count")


def search(explore: Explore) -> Locator:
    return explore.page.get_by_role("searchbox", name="Find a token")


def cursor(explore: Explore) -> Locator:
    return explore.page.locator("#tokens .cursor")


@pytest.fixture
def some(window: Explore) -> Explore:
    """A thousand tokens, of which two hundred are seen."""
    window.open(SOME)
    expect(count(window)).to_have_text("0 to 199 of 1,000 tokens")
    return window


def test_a_window_of_the_tokens_is_seen_and_led_on(some: Explore) -> None:
    page = some.page
    expect(chips(some)).to_have_count(200)
    expect(page.get_by_role("button", name="The 200 tokens before")).to_be_disabled()
    page.get_by_role("button", name="The next 200 tokens").click()
    expect(count(some)).to_have_text("200 to 399 of 1,000 tokens")
    expect(chips(some).first).to_have_text("w6200")
    expect(chips(some).first).to_have_attribute("aria-posinset", "201")
    expect(chips(some).first).to_have_attribute("aria-setsize", "1000")


def test_keys_walk_through_the_whole_text(some: Explore) -> None:
    strip(some).focus()
    some.page.keyboard.press("End")
    expect(cursor(some)).to_have_text("w29999")
    expect(count(some)).to_have_text("800 to 999 of 1,000 tokens")
    some.page.keyboard.press("PageUp")
    some.page.keyboard.press("PageUp")
    expect(cursor(some)).to_have_text("w23799")
    some.page.keyboard.press("ArrowRight")
    some.page.keyboard.press("Enter")
    expect(some.page).to_have_url(re.compile(r"picked=query\.800"))
    expect(chips(some).and_(some.page.locator("[aria-selected=true]"))).to_have_text("w24800")
    active = strip(some).get_attribute("aria-activedescendant")
    assert active == "token-800"


def test_a_token_is_found_by_text_and_by_number(some: Explore) -> None:
    search(some).fill("w96")
    for found in ("w9696", "w96193"):
        search(some).press("Enter")
        expect(cursor(some)).to_have_text(found)
    search(some).press("Shift+Enter")
    expect(cursor(some)).to_have_text("w9696")
    search(some).fill("777")
    search(some).press("Enter")
    expect(cursor(some)).to_have_text("w1777")
    search(some).fill("bird")
    search(some).press("Enter")
    expect(some.page.get_by_text("No token has “bird” in it.")).to_be_visible()


def test_what_is_selected_is_in_sight(window: Explore) -> None:
    window.open(f"{SOME}&picked=query.640")
    expect(count(window)).to_have_text("540 to 739 of 1,000 tokens")
    expect(chips(window).and_(window.page.locator("[aria-selected=true]"))).to_have_text("w58640")


def test_a_token_in_the_window_is_replaced(some: Explore) -> None:
    search(some).fill("500")
    search(some).press("Enter")
    expect(cursor(some)).to_have_text("w15500")
    cursor(some).dblclick()
    field = some.page.get_by_role("textbox", name="w15")
    field.fill("bird")
    body = some.ask(lambda: field.press("Enter"), "**/api/v1/traces")
    assert body["text"].split() == [*WORDS[:500], "bird", *WORDS[501:]]


# How far a chip reaches out of its strip, in pixels; 0 where it is in sight.
OUT_OF_SIGHT = """(chip) => {
  const [own, strip] = [chip, chip.parentElement].map((each) => each.getBoundingClientRect());
  return Math.max(0, strip.left - own.left, own.right - strip.right);
}"""


def in_sight(explore: Explore, chip: Locator) -> None:
    """Waits until a chip is in its strip, and the page was not moved for it."""
    until(explore.page, lambda: chip.evaluate(OUT_OF_SIGHT) == 0, "the chip is in sight")
    assert explore.page.evaluate("scrollY") == 0


def test_what_was_found_is_in_sight_and_marked(window: Explore) -> None:
    """Also once its neighbours have their words in the place of numbers, which are shorter."""
    window.open(PLAIN)
    window.sentence.fill(" ".join(f"word{at}" for at in range(5000)))
    expect(count(window)).to_contain_text("of 5,000 tokens")
    for sought, found in (("2500", "word25002500"), ("word4321", "word43214321"), ("7", "word77")):
        search(window).fill(sought)
        search(window).press("Enter")
        expect(cursor(window)).to_have_text(found)
        in_sight(window, cursor(window))


def test_what_is_pinned_or_picked_elsewhere_is_brought_into_sight(window: Explore) -> None:
    window.open(f"{SOME}&cell=weights.640.600")
    expect(count(window)).to_have_text("540 to 739 of 1,000 tokens")
    in_sight(window, chips(window).and_(window.page.locator(".axis-query")))
    window.open(f"{SOME}&picked=key.3_998")
    expect(count(window)).to_have_text("800 to 999 of 1,000 tokens")
    in_sight(window, window.page.locator("#tokens .chip[aria-selected=true]"))


def asks_for_tokens(explore: Explore) -> list[str]:
    return [r.url for r in explore.watch.requests if "/tokens?" in r.url]


@pytest.mark.parametrize("n", [5000, 20_000])
def test_tokens_of_a_text_too_long_for_its_reply_come_as_they_are_looked_at(
    window: Explore, n: int
) -> None:
    window.open(PLAIN)
    words = [f"w{at % 997}" for at in range(n)]
    window.sentence.fill(" ".join(words))
    expect(count(window)).to_have_text(f"0 to 199 of {n:,} tokens")
    expect(chips(window).nth(3)).to_have_text("w33")
    window.watch.forget()
    strip(window).focus()
    window.page.keyboard.press("End")
    expect(cursor(window)).to_have_text(f"w{(n - 1) % 997}{n - 1}")
    assert any(re.search(rf"rows={n - 1000}:{n}&", url) for url in asks_for_tokens(window))
    search(window).fill("w996")
    search(window).press("Shift+Enter")
    last = max(at for at, word in enumerate(words) if word == "w996" and at < n - 1)
    expect(cursor(window)).to_have_text(f"w996{last}")
    window.page.keyboard.press("Tab")
    until(window.page, lambda: len(asks_for_tokens(window)) < 20, "it asks for what is seen")
    expect(window.page.locator("#inspector .checks")).to_contain_text(
        "made when they are looked at"
    )
    expect(window.page.locator(".sentence-plot [data-at]").first).to_contain_text(re.compile("^w"))


def test_a_token_of_such_a_text_is_replaced_where_the_server_says(window: Explore) -> None:
    window.open(PLAIN)
    words = [f"w{at}" for at in range(5000)]
    window.sentence.fill(" ".join(words))
    search(window).fill("4500")
    search(window).press("Enter")
    expect(cursor(window)).to_have_text("w45004500")
    cursor(window).dblclick()
    field = window.page.get_by_role("textbox", name="w4500")
    field.fill("bird")
    body: dict[str, Any] = window.ask(lambda: field.press("Enter"), "**/api/v1/traces")
    assert body["text"].split() == [*words[:4500], "bird", *words[4501:]]
