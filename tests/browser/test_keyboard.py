"""Everything can be reached and done without a mouse, and is said aloud."""

from __future__ import annotations

import re
from itertools import pairwise

from playwright.sync_api import Locator, expect

from tests.browser.hands import STAGES, Explore, until, written
from tests.browser.pixels import stage_cells

GIVEN = "/?d_model=2&num_heads=1#%7B%22x%22%3A%5B%5B%5B1%2C0%5D%2C%5B0%2C1%5D%5D%5D%7D"
SHOWN_FOCUS = """(element) => {
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
}"""
LEVELS = """[...document.querySelectorAll("h1, h2, h3, h4, h5, h6")]
  .filter((heading) => heading.checkVisibility()).map((heading) => Number(heading.tagName[1]))"""
# A control of an accessibility snapshot: its role, and what follows it.
CONTROL = re.compile(
    r"^\s*- '?(button|link|textbox|combobox|spinbutton|slider|checkbox|grid|dialog|img)\b(.*)$"
)


def focused(explore: Explore) -> Locator:
    return explore.page.locator(":focus")


def nameless(snapshot: str) -> list[str]:
    """The controls of a snapshot that have no name."""
    found = (CONTROL.match(line) for line in snapshot.splitlines())
    return [each[0].strip() for each in found if each and not re.match(r' ["/]', each[2])]


def walks_cells(explore: Explore) -> None:
    """The focused picture of x is read cell by cell, and each cell is said."""
    cells = stage_cells(explore.answer(explore.question()), "x", 0, 0, 0)
    grid, spoken = focused(explore), explore.page.locator("[aria-live=polite]")
    active = grid.get_by_role("gridcell")
    expect(grid).to_have_accessible_name(re.compile("^x: 12 rows by 64 columns"))
    for key, cell in (
        ("ArrowDown", (1, 0)),
        ("ArrowRight", (1, 1)),
        ("End", (1, 63)),
        ("PageDown", (11, 63)),
        ("ArrowDown", (11, 63)),
        ("Home", (11, 0)),
        ("ArrowUp", (10, 0)),
    ):
        explore.page.keyboard.press(key)
        value = written(cells[cell])
        expect(spoken).to_contain_text(f": {value}")
        expect(grid).to_have_attribute("aria-activedescendant", active.get_attribute("id") or "")
        expect(active).to_have_accessible_name(re.compile(f"{re.escape(value)}$"))
        expect(active).to_have_attribute("aria-colindex", str(cell[1] + 1))
    expect(spoken).to_contain_text("tired")


def test_the_skip_link_leads_past_the_header_and_leaves_the_state_in_the_address(
    window: Explore,
) -> None:
    window.open(GIVEN)
    address, press = window.page.evaluate("location.href"), window.page.keyboard.press
    press("Tab")
    expect(focused(window)).to_have_text("Skip to the content")
    press("Enter")
    expect(window.page.get_by_role("main")).to_be_focused()
    expect(window.page).to_have_url(address)
    expect(window.page.locator("#notice")).to_be_empty()
    press("Tab")
    expect(window.sentence).to_be_focused()


def test_a_walk_with_tab_shows_every_stop_and_reads_pins_and_lets_go_of_cells(
    explore: Explore,
) -> None:
    page, press = explore.page, explore.page.keyboard.press
    grids = []
    for _ in range(60):
        press("Tab")
        element = focused(explore)
        assert element.evaluate(SHOWN_FOCUS), element.evaluate("(e) => e.outerHTML.slice(0, 200)")
        if element.get_attribute("role") == "grid":
            grids.append(element.get_attribute("aria-label"))
            if len(grids) == 1:
                walks_cells(explore)
    assert grids

    dark = explore.photograph(explore.canvas("q"))
    grid, output = explore.grid("weights"), explore.value
    grid.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        press(key)
    lit = lambda: (explore.photograph(explore.canvas("q")) != dark).any()  # noqa: E731
    until(page, lit, "the query row lights up")
    press("Enter")
    value = stage_cells(explore.answer(explore.question()), "weights", 0, 0, 0)[2, 1]
    expect(output).to_have_text(written(value))
    expect(explore.inspector.get_by_role("heading", level=2)).to_contain_text("didn't → animal")
    press("Escape")
    expect(output).to_be_hidden()
    expect(grid).to_be_focused()


def test_controls_have_names_headings_their_order_and_the_page_its_landmarks(
    explore: Explore,
) -> None:
    page = explore.page
    levels = page.evaluate(LEVELS)
    n = explore.answer(explore.question())["shape"]["n"]
    explore.click("weights", (5, 2), (n, n))
    expect(explore.value).to_be_visible()
    for found in (levels, page.evaluate(LEVELS)):
        assert (found[0], found.count(1)) == (1, 1)
        assert all(b - a <= 1 for a, b in pairwise(found)), found
    for role in ("banner", "main", "navigation", "complementary"):
        expect(page.get_by_role(role).first).to_be_visible()
    snapshot = explore.panel("Stages").aria_snapshot()
    for stage in STAGES:
        assert re.search(rf'grid "{stage.replace("_", " ")}: \d+ rows', snapshot), stage

    explore.more()
    body = page.locator("body")
    unnamed = nameless(body.aria_snapshot())
    page.keyboard.press("Escape")
    explore.field("Scale").first.select_option(label="a number")
    for source in ("uploaded", "crafted", "explicit"):
        explore.field("Model").select_option(source)
        unnamed += nameless(body.aria_snapshot())
    page.get_by_role("button", name="Edit…").click()
    unnamed += nameless(page.get_by_role("dialog").aria_snapshot())
    assert sorted(set(unnamed)) == []
