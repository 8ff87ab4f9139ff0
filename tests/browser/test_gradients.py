"""Gradients by hand: their pictures, walked with keys, seen large and as a table."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import DESK
from tests.browser.hands import Explore, address_lacks, box, until, written
from tests.browser.pixels import alike, centres, painted

SIZES = ((1920, 1080), (1440, 900), (1024, 900), (390, 844))
# Signs before cards, apart from shapes outside of them that point back.
NO_ARROWS = """(cards) => cards.map((card) => getComputedStyle(card, "::before"))
  .filter(({ content, rotate, left, top }) => content !== "none" &&
    (content !== '""' || rotate !== "180deg" || Math.min(parseFloat(left), parseFloat(top)) >= 0))
  .map(({ content, left, top }) => `${content} at ${left}, ${top}`)"""


def panel(explore: Explore) -> Locator:
    return explore.panel("Gradients")


def card(explore: Explore, stage: str) -> Locator:
    return panel(explore).locator(f'[data-stage="{stage}"]')


def derivatives(explore: Explore, stage: str) -> np.ndarray:
    """Of the sum of the output by a stage of the first head, past the page."""
    trace = explore.answer(explore.question())["trace"]
    address = f"{explore.url}/api/v1/traces/{trace}/gradients"
    reply = explore.page.request.post(address, data={"objective": {"kind": "sum"}}).json()
    found: np.ndarray = np.array(reply["layers"][0][stage], dtype=float)[0, 0]
    return found


def shows(explore: Explore, stage: str, wanted: np.ndarray) -> None:
    """Waits until every cell has the colour of its number, zero in the middle; NaN is hatched."""
    size = float(np.nanmax(np.abs(wanted)))
    colours = painted(wanted, explore.colours("diverging"), -size, size)
    picture = card(explore, stage).locator("canvas[data-layer]")
    until(
        explore.page,
        lambda: alike(centres(picture, *wanted.shape), colours),
        f"the derivatives of {stage}",
    )


def test_derivatives_are_drawn_walked_with_keys_and_seen_large_and_as_a_table(
    explore: Explore, subtests: pytest.Subtests
) -> None:
    page = explore.page
    urls = [request.url for request in explore.watch.requests]
    assert not [url for url in urls if "gradients" in url and not url.endswith(".css")]
    explore.tab("Gradients").click()
    card(explore, "weights").locator("canvas[data-layer]").wait_for()
    closed = np.triu(np.ones((12, 12), bool), 1)
    weights, scores = (derivatives(explore, stage) for stage in ("weights", "scores"))
    shows(explore, "weights", np.where(closed, np.nan, weights))
    grid = card(explore, "scores").get_by_role("grid", name=re.compile("^∂ scores"))
    grid.focus()
    for key in ("ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    voice = panel(explore).locator(".hidden[aria-live]")
    expect(voice).to_have_text(f"∂ scores, animal → animal: {written(scores[1, 1])}")
    card(explore, "weights").get_by_role("button", name="Enlarge ∂ weights").click()
    dialog = explore.large
    expect(dialog).to_have_accessible_name("∂ weights")
    expect(dialog.locator("canvas[data-layer]")).to_be_visible()
    expect(dialog).to_have_count(1)
    dialog.get_by_label("show as table").check()
    signed = [f"{'+' if one > 0 else ''}{written(one)}" for one in weights[9, :10]]
    cells = dialog.get_by_role("row").nth(10).get_by_role("cell")
    expect(cells).to_have_text([*signed, "–", "–"])
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    address_lacks(page, "stage=")
    jacobian_stands_right_below_its_sentence(explore, subtests)


def jacobian_stands_right_below_its_sentence(window: Explore, subtests: pytest.Subtests) -> None:
    jacobian = card(window, "jacobian")
    jacobian.locator("canvas[data-layer]").wait_for()
    parts = ("header", "p.muted", ".heatmap", ".legend")

    def gaps() -> list[float]:
        boxes = [box(jacobian.locator(f":scope > {part}")) for part in parts]
        return [low["y"] - high["y"] - high["height"] for high, low in itertools.pairwise(boxes)]

    for width, height in SIZES:
        with subtests.test(f"{width} × {height}"):
            window.page.set_viewport_size({"width": width, "height": height})
            until(window.page, lambda: all(0 <= gap < 12 for gap in gaps()), "no gap")
            assert panel(window).locator(".ways-back .card").evaluate_all(NO_ARROWS) == []
    window.page.set_viewport_size(DESK)
