"""Show change where style sheets and a pointer matter: a large stage, the heads, the legend."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, middle, until, written
from tests.browser.pixels import alike, centres, painted, stage_cells
from tests.browser.test_change import asked, button

QUESTION = "/?text=the%20cat%20sat%20there&d_model=18&num_heads=3&num_layers=2&scale=none"
CELL = (3, 1)


def weights(explore: Explore, body: dict[str, Any]) -> np.ndarray:
    """The weights of the first head; NaN where they are masked."""
    return stage_cells(explore.answer(body), "weights", 0, 0, 0).astype(float)


def shows_change(explore: Explore, place: Locator, cells: np.ndarray, text: str) -> None:
    """Waits until a picture is the change, and tells both numbers of CELL under the pointer."""
    canvas = place.locator("canvas[data-head]")
    size = float(np.nanmax(np.abs(cells)))
    wanted = painted(cells, explore.colours("diverging"), -size, size)
    until(explore.page, lambda: alike(centres(canvas, 4, 4), wanted), "the change is drawn")
    explore.page.mouse.move(*middle(canvas, CELL, (4, 4)))
    expect(place.locator(".readout")).to_contain_text(text)


def test_a_change_takes_the_place_of_the_numbers_of_now_and_gives_it_back(window: Explore) -> None:
    page = window.page
    page.goto(f"{window.url}{QUESTION}&tab=heads&stage=weights&cell=weights.3.1")
    expect(window.large.locator("canvas[data-head]")).to_be_visible()
    window.complete()
    names = {request.url.rsplit("/", 1)[-1] for request in window.watch.requests}
    assert {"late-parts.js", "heads-tab.js", "large-stage.js"} <= names
    late = r"(changed-\w+|show-change|previous-heads)\.js"  # nothing shows a change yet
    assert not [name for name in names if re.fullmatch(late, name)]

    before = window.question()
    now = asked(window, lambda: window.field("Scale").first.select_option(label="1/√d_k"))
    button(window, "Show change").click()
    cells = weights(window, now) - weights(window, before)
    was, value = (weights(window, body)[CELL] for body in (before, now))
    change = (
        f"{written(was)} → {written(value)} ({'+' if value > was else ''}{written(value - was)})"
    )
    large = window.large
    shows_change(window, large.locator(".change"), cells, change)
    expect(large.locator(":scope > .heatmap")).to_be_hidden()
    large.get_by_label("show as table").check()
    expect(large.locator(".change").get_by_role("rowheader")).to_have_count(4)
    expect(large.locator(".change .legend")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(large).to_be_hidden()

    expect(page.locator(".since")).to_contain_text("now minus before the last step")
    expect(page.locator(".board:not(.change)")).to_be_hidden()
    expect(page.locator(".board.change")).to_be_visible()
    expect(page.locator(".together:not(.change)")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator(".board.change")).to_have_count(0)
    expect(page.locator(".board")).to_be_visible()


def test_the_legend_of_a_change_covers_what_is_seen(window: Explore) -> None:
    window.open()
    asked(window, lambda: window.field("Mask").select_option(label="none"))
    button(window, "Show change").click()
    legend = window.card("masked_scores").locator(".change .legend")
    expect(legend.locator(".masked")).to_be_visible()
    for part in ("low", "ramp", "high"):  # cells were opened, and no number changed
        expect(legend.locator(f".{part}:visible")).to_have_count(0)
    expect(window.card("weights").locator(".change .legend .high")).to_be_visible()
    expect(window.card("weights").locator(":scope > .heatmap")).to_be_hidden()
