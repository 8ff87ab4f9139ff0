"""Layers × heads by hand and by key; many heads inside their card."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import LONG, Explore, address_has, address_lacks, box, until
from tests.browser.pixels import alike, centres, painted, stage_cells

QUESTION = "/?num_layers=3&num_heads=4&d_model=16&text=the%20cat%20sat%20on%20the%20mat%20."
N = 7


def board(explore: Explore) -> Locator:
    return explore.page.get_by_role("grid", name="Layer and head")


def tile(explore: Explore, layer: int, head: int) -> Locator:
    return board(explore).get_by_role("gridcell", name=f"layer {layer}, head {head},")


def drawn(explore: Explore, place: Locator, cells: np.ndarray) -> None:
    """Waits until a picture shows weights."""
    wanted = painted(cells, explore.colours("sequential"), 0, 1)
    picture = place.locator("canvas")
    until(explore.page, lambda: alike(centres(picture, N, N), wanted), f"{place} is drawn")


def test_heads_are_opened_walked_chosen_and_found(window: Explore) -> None:
    page = window.page
    window.open(QUESTION)
    # A first visit does not load what no tab has opened.
    assert not [r.url for r in window.watch.requests if r.url.endswith("/heads/heads-tab.js")]
    window.tab("Heads").click()
    expect(board(window).get_by_role("gridcell")).to_have_count(12)
    expect(window.card("weights")).to_be_hidden()
    expect(window.inspector).to_be_visible()
    address_has(page, "tab=heads")
    page.keyboard.press("ArrowLeft")
    expect(window.tab("Stages")).to_be_focused()
    expect(window.card("weights")).to_be_visible()
    address_lacks(page, "tab")
    page.go_back()
    expect(window.tab("Heads")).to_have_attribute("aria-selected", "true")

    tile(window, 0, 0).focus()
    for key in ("ArrowRight", "ArrowDown", "Space", "End", "Enter"):
        page.keyboard.press(key)
    expect(tile(window, 1, 3)).to_be_focused()
    expect(tile(window, 1, 1)).to_have_attribute("aria-selected", "true")
    address_has(page, "heads=1.1", "layer=1&head=3")
    tile(window, 2, 3).locator("canvas").click(modifiers=["Shift"])
    expect(page.get_by_role("heading", name="Mean of 2 heads")).to_be_visible()
    reply = window.answer(window.question())
    chosen = [stage_cells(reply, "weights", *place, 0) for place in ((1, 1), (2, 3))]
    drawn(window, tile(window, 2, 3), chosen[1])
    drawn(window, page.locator(".together"), np.mean(chosen, axis=0))
    page.get_by_role("button", name="Find heads").click()
    found = page.get_by_role("region", name="Heads on random tokens")
    expect(found).to_contain_text("2 times over")


def test_a_hundred_heads_of_many_tokens_are_pictures_inside_their_card(window: Explore) -> None:
    words = "%20".join(f"w{index}" for index in range(128))
    window.open(f"/?text={words}&num_layers=12&num_heads=12&d_model=24")
    page = window.page
    card = page.locator("#heads")
    expect(card.locator("canvas:visible")).to_have_count(144)
    expect(card.locator(".thumbnail span:visible")).to_have_count(0)
    outer, inner = box(card), box(card.locator(".thumbnails"))
    assert inner["y"] + inner["height"] <= outer["y"] + outer["height"]
    assert inner["x"] + inner["width"] <= outer["x"] + outer["width"]
    last = card.get_by_role("button", name="layer 11, head 11").locator("canvas")
    chips = page.locator("#looks .head-chips.many .head-chip")
    expect(chips).to_have_count(144)
    for cell in (last, chips.last):
        assert min(box(cell)["width"], box(cell)["height"]) >= 20
    coloured = "(c) => new Set(c.getContext('2d').getImageData(0, 0, 8, 8).data).size"
    until(page, lambda: last.evaluate(coloured) > 2, "the last one is drawn")


@pytest.mark.full
def test_of_thousands_of_heads_the_layers_near_the_selected_one_are_shown(
    window: Explore,
) -> None:
    page = window.page
    page.goto(f"{window.url}/?text=a%20b&num_layers=96&num_heads=64&layer=70", wait_until="commit")
    window.canvas("weights").wait_for(timeout=LONG)
    thumbnails = page.locator("#heads .thumbnail")
    expect(thumbnails).to_have_count(48 * 64)
    expect(page.locator("#heads")).to_contain_text("layers 46–93 of 96")
    thumbnails.last.click(timeout=LONG)
    heads = page.get_by_role("group", name="Layer and head")
    pressed = heads.get_by_role("button", pressed=True)
    expect(pressed).to_have_attribute("data-layer", "93", timeout=LONG)


def test_the_map_of_heads_is_drawn_in_a_low_window(elsewhere: Callable[..., Explore]) -> None:
    """As of a phone on its side, or at 400 %."""
    window = elsewhere(None, viewport={"width": 320, "height": 256})
    window.page.goto(f"{window.url}/?source=seeded&tab=heads")
    plot = window.page.locator("#panel-heads .together .plot")
    expect(plot).to_have_role("grid")
    expect(plot).to_have_accessible_name(re.compile("^weights, layer 0, head 0"))
    assert box(plot)["height"] > 150
