"""A text whose answer is too large to come as numbers, in a browser: read, walked and redrawn."""

from __future__ import annotations

from urllib.parse import quote

from playwright.sync_api import expect

from tests.browser.hands import Explore, until

N = 640  # a point of the picture is 2 × 2 of its cells
TEXT = " ".join(f"w{index}" for index in range(N))
# Every number that is shown while it comes.
WATCH = """(readout) => {
  window.seen = [];
  const note = () => {
    const text = readout.hidden ? "" : readout.firstElementChild?.textContent ?? "";
    if (text && text !== seen.at(-1)) seen.push(text);
  };
  new MutationObserver(note).observe(readout, { childList: true, subtree: true, attributes: true });
}"""


def test_a_long_text_is_pointed_at_and_its_heads_are_pictures(window: Explore) -> None:
    page = window.page
    window.open(f"/?source=seeded&text={quote(TEXT)}")
    readout = window.card("weights").locator(".readout")
    readout.evaluate(WATCH)
    window.canvas("weights").scroll_into_view_if_needed()
    window.hover("weights", (400, 200), (N, N))
    expect(readout).to_be_visible()
    expect(readout).not_to_contain_text("≈")
    first = page.evaluate("seen")[0]
    assert first.startswith("≈")
    assert "2 × 2" in first
    query = (readout.locator("span").text_content() or "").split(" → ")[0]
    sentence = page.get_by_role("region", name="Where the sentence looks")
    expect(sentence.get_by_role("status")).to_contain_text(query)
    before = window.pixels("weights")
    page.get_by_role("button", name="layer 0, head 2").click()
    until(page, lambda: window.pixels("weights") != before, "another head is drawn")
    tokens = sentence.get_by_role("listbox", name="The sentence, token by token")
    token = tokens.get_by_role("option").nth(20)
    name = (token.text_content() or "").strip()
    token.click()
    expect(window.inspector).to_contain_text(f"Where “{name}” looks")
