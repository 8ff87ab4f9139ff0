"""The wheel over a map, and what its legend says of colours and edges."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.hands import Explore, box
from tests.browser.test_map import chosen, open_long, open_map, plot, readout


def test_the_wheel_keeps_the_cell_under_a_pointer_that_is_beside_the_middle(
    explore: Explore,
) -> None:
    open_long(explore, 300)
    page = explore.page
    plot(explore).scroll_into_view_if_needed()
    place = box(plot(explore))
    page.mouse.move(place["x"] + place["width"] * 0.36, place["y"] + place["height"] * 0.6)
    told = readout(explore).locator("span")
    expect(told).to_be_visible()
    before = told.text_content() or ""
    for turn in [-100] * 8 + [100] * 7:
        page.mouse.wheel(0, turn)
        expect(told).to_have_text(before)


def test_after_a_turn_of_the_wheel_the_cell_under_a_pointer_that_rests_is_read(
    explore: Explore,
) -> None:
    open_long(explore, 1500)
    page = explore.page
    plot(explore).scroll_into_view_if_needed()
    place = box(plot(explore))
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] * 0.6)
    told = readout(explore).locator("b")
    expect(told).to_contain_text("at most in")
    for _ in range(16):
        page.mouse.wheel(0, -100)
    expect(told).to_have_text(re.compile(r"^(\d\.\d{3}|\d(\.\d+)?×10.*)$"))
    words = (readout(explore).locator("span").text_content() or "").split(" → ")
    assert len(words) == 2
    assert "…" not in "".join(words)


def test_the_legend_says_by_which_scale_and_what_stands_at_the_edges(explore: Explore) -> None:
    open_map(explore)
    legend = explore.page.locator(".map-legend")
    expect(legend).to_contain_text("Colours: even.")
    expect(legend).to_contain_text("At the edges: the largest cell in sight of each query")
    chosen(explore, "Colours").select_option("root")
    expect(legend).to_contain_text("Colours: square root, 0 … 1.")
    chosen(explore, "Cells that share a pixel").select_option("mean")
    expect(legend).to_contain_text("At the edges: the mean")
