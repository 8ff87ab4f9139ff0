"""Lines in a browser: what is inked, how the tokens lie, and how keys walk over them."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import LONG, Explore, address_has, address_lacks, box, until

LARGE = quote(json.dumps({"text": " ".join(f"word{index}" for index in range(1500))}))
INK = """(canvas, [top, bottom]) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  const [from, to] = [top, bottom].map((part) => Math.floor(part * canvas.height));
  const { data } = copy.getImageData(0, from, canvas.width, Math.max(1, to - from));
  return data.reduce((sum, byte, at) => sum + (at % 4 === 3 ? byte : 0), 0);
}"""
# Left, right, top and bottom of the names.
NAMES = """(list) => [...list.querySelectorAll("span")]
  .map((name) => name.getBoundingClientRect())
  .map((box) => [box.left, box.right, box.top, box.bottom])"""


def side(explore: Explore, name: str) -> Locator:
    return explore.page.get_by_role("listbox", name=re.compile(f"^{name}"))


def ink(canvas: Locator, top: float, bottom: float) -> float:
    """How much is painted between two heights, as parts of the canvas."""
    return float(canvas.evaluate(INK, [top, bottom]))


def stand_in_a_line(explore: Explore, same: str, other: str) -> None:
    """Waits until tokens follow each other in one direction, with lines between them."""
    tokens = side(explore, "Queries").get_by_role("option")

    def in_a_line() -> bool:
        first, second = box(tokens.nth(0)), box(tokens.nth(1))
        return abs(first[same] - second[same]) < 1 and second[other] > first[other] + 15

    until(explore.page, in_a_line, f"tokens of one {same} stand apart in {other}")
    is_inked(explore, ".web .all")


def is_inked(explore: Explore, canvas: str) -> None:
    until(explore.page, lambda: ink(explore.page.locator(canvas), 0, 1) > 0, f"lines on {canvas}")


def test_lines_are_pointed_at_walked_with_keys_and_laid_out_both_ways(explore: Explore) -> None:
    page = explore.page
    explore.tab("Lines").click()
    queries = side(explore, "Queries")
    stand_in_a_line(explore, "x", "y")
    queries.get_by_role("option").nth(9).hover()
    some = page.locator(".web .some")
    expect(some).to_be_visible()
    is_inked(explore, ".web .some")
    assert ink(some, 0.95, 1) == 0, "the last query's lines are not shown"
    page.mouse.move(5, 5)
    expect(some).to_be_hidden()
    for _ in range(20):
        page.keyboard.press("Tab")
        if queries.evaluate("(list) => list === document.activeElement"):
            break
    for key in ("End", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".lines [aria-live]")).to_contain_text("tired: animal 0.56")
    address_has(page, "picked=query.10")
    page.keyboard.press("Escape")
    address_lacks(page, "picked")
    page.get_by_label("Layout").select_option("horizontal")
    address_has(page, "layout=horizontal")
    stand_in_a_line(explore, "y", "x")


def test_every_name_of_a_part_of_a_long_text_can_be_read(
    window: Explore, subtests: pytest.Subtests
) -> None:
    page = window.page
    question = "tab=lines&source=seeded&num_heads=1&d_model=16&picked=query.900"
    for layout, (start, end) in {"vertical": (2, 3), "horizontal": (0, 1)}.items():
        with subtests.test(layout):
            page.goto(f"{window.url}/?{question}&layout={layout}#{LARGE}", wait_until="commit")
            expect(side(window, "Queries").get_by_role("option")).to_have_count(24, timeout=LONG)
            for name in ("Queries", "Keys"):
                names = side(window, name).evaluate(NAMES)
                assert all(a[end] <= b[start] + 4 for a, b in pairwise(names)), "paddings may touch"
            is_inked(window, ".web .some")
            if layout == "vertical":
                assert box(window.panel("Lines"))["height"] < 900
