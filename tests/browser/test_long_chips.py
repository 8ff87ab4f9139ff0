"""The chips of a long text in a browser: the one that is looked for is in sight."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import LONG, Explore, until

PLAIN = "/?source=seeded&num_heads=1&d_model=8"
SOME = f"{PLAIN}&text={quote(' '.join(f'w{at % 97}' for at in range(1000)))}"
MANY = quote(json.dumps({"text": " ".join(f"word{at}" for at in range(5000))}))
# How far a chip reaches out of its strip, in pixels; 0 where it is in sight.
OUT_OF_SIGHT = """(chip) => {
  if (!chip.isConnected) return Infinity;  // drawn again since it was found
  const [own, strip] = [chip, chip.parentElement].map((each) => each.getBoundingClientRect());
  return Math.max(0, strip.left - own.left, own.right - strip.right);
}"""


def count(explore: Explore) -> Locator:
    return explore.page.locator("#tokens .count")


def in_sight(explore: Explore, chip: Locator) -> None:
    """Waits until a chip is in its strip, and the page was not moved for it."""
    until(explore.page, lambda: chip.evaluate(OUT_OF_SIGHT) == 0, "the chip is in sight")
    assert explore.page.evaluate("scrollY") == 0


def test_a_token_that_is_found_is_in_sight_once_its_neighbours_have_their_words(
    window: Explore,
) -> None:
    """Words are shorter than the numbers in their place."""
    page = window.page
    page.goto(f"{window.url}{PLAIN}#{MANY}", wait_until="commit")
    expect(count(window)).to_contain_text("of 5,000 tokens", timeout=LONG)
    search = page.get_by_role("searchbox", name="Find a token")
    cursor = page.locator("#tokens .cursor")
    for sought, found in (("2500", "word25002500"), ("word4321", "word43214321"), ("7", "word77")):
        search.fill(sought)
        search.press("Enter")
        expect(cursor).to_have_text(found)
        in_sight(window, cursor)


def test_what_is_pinned_or_picked_elsewhere_is_brought_into_sight(
    window: Explore, subtests: pytest.Subtests
) -> None:
    cases = {
        "cell=weights.640.600": ("540 to 739", ".chip.axis-query"),
        "picked=key.3_998": ("800 to 999", ".chip[aria-selected=true]"),
    }
    for chosen, (part, chip) in cases.items():
        with subtests.test(chosen):
            window.page.goto(f"{window.url}{SOME}&{chosen}", wait_until="commit")
            expect(count(window)).to_have_text(f"{part} of 1,000 tokens")
            in_sight(window, window.page.locator(f"#tokens {chip}"))
