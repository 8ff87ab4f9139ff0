"""What a head is worth, by hand: bars as they are drawn, another piece, a dropped head."""

from __future__ import annotations

import re
from itertools import pairwise

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, box

ECHO = "/?text=Winston%20Churchill%20met%20Harry%20Truman.%20Winston&source=installed&name=echo"

LEFT_AFTER_A_LONG_PIECE = """
() => {
  const list = document.querySelector(".worth .card select");
  list.add(new Option("byte E4 B8 8A ".repeat(20)));
  const [own, card] = [list, list.closest(".card")].map((each) => each.getBoundingClientRect());
  return card.right - own.right;
}
"""


def test_a_logit_is_taken_apart_in_bars_of_which_each_begins_where_the_last_one_ended(
    window: Explore,
) -> None:
    window.open(ECHO)
    window.tab("Worth").click()
    panel = window.panel("Worth")
    changes = [each["change"] for layer in window.of_trace("ablations")["heads"] for each in layer]
    rows = panel.get_by_role("button", name=re.compile(r"^L\d+ H\d+"))
    expect(rows).to_have_count(len(changes))
    widths = [box(row.locator(".bar"))["width"] for row in rows.all()]
    longest = max(range(len(changes)), key=lambda at: abs(changes[at]))
    assert widths[longest] == max(widths)
    expect(panel.get_by_role("table").get_by_role("rowheader", name="logit")).to_be_visible()
    numbers = panel.locator("tbody tr:not(.sum) .number").all_inner_texts()
    bars = [box(bar) for bar in panel.locator("tbody tr:not(.sum) .bar").all()]
    ends = []
    for number, bar in zip(numbers, bars, strict=True):
        left, right = bar["x"], bar["x"] + bar["width"]
        ends.append((right, left) if number.startswith("−") else (left, right))
    assert all(abs(begin - end) < 2 for (_, end), (begin, _) in pairwise(ends))
    choice = panel.get_by_role("combobox", name="piece")
    choice.focus()
    choice.select_option(index=3)
    address_has(window.page, "piece=")
    expect(choice).to_be_focused()
    rows.nth(longest).click()
    panel.get_by_role("button", name="Drop it").click()
    expect(panel.locator(".selected")).to_contain_text("is dropped")
    said = window.page.get_by_role("region", name="What the model says")
    expect(said).to_contain_text("before and now")


def test_a_menu_with_a_long_piece_stays_within_its_card(window: Explore) -> None:
    window.open(ECHO)
    window.tab("Worth").click()
    choice = window.panel("Worth").get_by_role("combobox", name="piece")
    expect(window.panel("Worth").get_by_role("rowheader", name="logit")).to_be_visible()
    window.settle()
    expect(choice).to_be_visible()
    assert window.page.evaluate(LEFT_AFTER_A_LONG_PIECE) > 0
