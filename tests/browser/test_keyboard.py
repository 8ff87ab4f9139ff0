"""Everything can be reached and done without a mouse, and is said aloud."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Locator, Request, expect

from tests.browser.hands import STAGES, Explore, until, written
from tests.browser.pixels import stage_cells
from tests.browser.test_change import is_question, typed

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


def tab_to(explore: Explore, reached: Callable[[Locator], bool]) -> int:
    """Presses Tab until the focus is where it should be; how often that was."""
    for count in range(1, 80):
        explore.page.keyboard.press("Tab")
        if reached(focused(explore)):
            return count
    pytest.fail("Tab never came there")


def is_grid(element: Locator) -> bool:
    return element.get_attribute("role") == "grid"


def spoken(explore: Explore) -> Locator:
    return explore.page.locator("[aria-live=polite]")


def nameless(snapshot: str) -> list[str]:
    """The controls of a snapshot that have no name."""
    found = (CONTROL.match(line) for line in snapshot.splitlines())
    return [each[0].strip() for each in found if each and not re.match(r' ["/]', each[2])]


def test_tab_reaches_a_picture_and_arrows_move_its_cell(explore: Explore) -> None:
    reply = explore.answer(explore.question())
    tab_to(explore, is_grid)
    grid, press = focused(explore), explore.page.keyboard.press
    expect(grid).to_have_accessible_name(re.compile("^x: 12 rows by 64 columns"))
    cells = stage_cells(reply, "x", 0, 0, 0)
    for key, cell in (
        ("ArrowDown", (1, 0)),
        ("ArrowRight", (1, 1)),
        ("End", (1, 63)),
        ("PageDown", (11, 63)),
        ("ArrowDown", (11, 63)),
        ("Home", (11, 0)),
        ("ArrowUp", (10, 0)),
    ):
        press(key)
        value = written(cells[cell])
        expect(spoken(explore)).to_contain_text(f": {value}")
        active = grid.locator(f"#{grid.get_attribute('aria-activedescendant')}")
        expect(active).to_have_accessible_name(re.compile(f"{re.escape(value)}$"))
        expect(active).to_have_attribute("aria-colindex", str(cell[1] + 1))
    expect(spoken(explore)).to_contain_text("tired")


def test_enter_pins_the_cell_and_escape_lets_it_go(explore: Explore) -> None:
    grid, press = explore.grid("weights"), explore.page.keyboard.press
    grid.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        press(key)
    press("Enter")
    output = explore.inspector.locator("output")
    value = stage_cells(explore.answer(explore.question()), "weights", 0, 0, 0)[2, 1]
    expect(output).to_have_text(written(value))
    expect(explore.inspector.get_by_role("heading", level=2)).to_contain_text("didn't → animal")
    press("Escape")
    expect(output).to_be_hidden()
    expect(grid).to_be_focused()


def test_a_masked_cell_is_said_to_be_masked(explore: Explore) -> None:
    explore.grid("weights").focus()
    explore.page.keyboard.press("End")
    expect(spoken(explore)).to_contain_text("masked")


def test_the_focus_lights_upstream_as_the_pointer_does(explore: Explore) -> None:
    dark = explore.photograph(explore.canvas("q"))
    explore.grid("weights").focus()
    explore.page.keyboard.press("ArrowDown")
    until(
        explore.page,
        lambda: (explore.photograph(explore.canvas("q")) != dark).any(),
        "the query row lights up",
    )


def test_operands_are_followed_with_the_keys(explore: Explore) -> None:
    explore.grid("scores").focus()
    explore.page.keyboard.press("Enter")
    first = explore.inspector.get_by_role("button", name=re.compile("^q .*:")).first
    first.focus()
    explore.page.keyboard.press("Enter")
    expect(explore.inspector.get_by_role("heading", level=2)).to_contain_text(re.compile("^q"))


@pytest.mark.parametrize(("key", "value"), [("2", 2.5), ("-", -0.5), (".", 0.5)])
def test_a_number_begins_on_the_picked_cell_of_a_picture(
    explore: Explore, key: str, value: float
) -> None:
    explore.open("/?change=w_o")
    page = explore.page
    picture = page.get_by_role("region", name="Change anything").get_by_role("grid")
    picture.focus()
    for walk in ("ArrowDown", "ArrowRight", "Enter"):
        picture.press(walk)
    expect(typed(explore)).not_to_have_value("")
    picture.press("ArrowRight")  # the keys have left the picked cell
    picture.press(key)
    expect(picture).to_be_focused()
    picture.press("ArrowLeft")
    rest = {"2": ".5", "-": "0.5", ".": "5"}[key]
    picture.press(key)
    expect(typed(explore)).to_be_focused()

    def is_whole(request: Request) -> bool:
        model = json.loads(request.post_data or "{}").get("model", {})
        return is_question(request) and model.get("w_o", [[], [0, 0]])[1][1] == value

    with page.expect_request(is_whole):
        page.keyboard.type(rest)
    expect(typed(explore)).to_have_value(key + rest)


def test_a_question_mark_lists_the_keys(explore: Explore) -> None:
    dialog = explore.page.get_by_role("dialog", name="Keys")
    explore.page.keyboard.press("?")
    expect(dialog).to_be_visible()
    for key in ("Enter", "Esc", "Home"):
        expect(dialog).to_contain_text(key)
    explore.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    explore.sentence.press_sequentially("?")
    expect(dialog).to_be_hidden()
    expect(explore.sentence).to_have_value(re.compile(r"\?"))


def test_the_focus_is_always_seen(explore: Explore) -> None:
    stops = 0
    for _ in range(60):
        explore.page.keyboard.press("Tab")
        element = focused(explore)
        if element.count() == 0:
            break
        stops += 1
        assert element.evaluate(SHOWN_FOCUS), element.evaluate("(e) => e.outerHTML.slice(0, 200)")
    assert stops > 40


def test_the_skip_link_leads_past_the_header(explore: Explore) -> None:
    explore.page.keyboard.press("Tab")
    expect(focused(explore)).to_have_text("Skip to the content")
    explore.page.keyboard.press("Enter")
    explore.page.keyboard.press("Tab")
    expect(explore.sentence).to_be_focused()


def test_the_skip_link_leaves_the_state_in_the_address(window: Explore) -> None:
    window.open("/?d_model=2&num_heads=1#%7B%22x%22%3A%5B%5B%5B1%2C0%5D%2C%5B0%2C1%5D%5D%5D%7D")
    address = window.page.url
    window.page.keyboard.press("Tab")
    window.page.keyboard.press("Enter")
    expect(window.page.locator("#main")).to_be_focused()
    expect(window.page).to_have_url(address)
    expect(window.page.locator("#notice")).to_be_empty()


def test_every_control_has_a_name(explore: Explore) -> None:
    explore.more()
    unnamed = nameless(explore.page.locator("body").aria_snapshot())
    explore.page.keyboard.press("Escape")
    for source in ("explicit", "crafted", "uploaded"):
        explore.field("Model").select_option(source)
        unnamed += nameless(explore.page.locator("body").aria_snapshot())
    explore.field("Model").select_option("explicit")
    explore.page.get_by_role("button", name="Edit…").click()
    unnamed += nameless(explore.page.get_by_role("dialog").aria_snapshot())
    explore.page.get_by_role("button", name="Done").click()
    explore.field("Scale").first.select_option(label="a number")
    unnamed += nameless(explore.page.locator("body").aria_snapshot())
    assert sorted(set(unnamed)) == []


def test_headings_come_in_order(explore: Explore) -> None:
    n = explore.answer(explore.question())["shape"]["n"]
    for cell in (None, (5, 2)):
        if cell:
            explore.click("weights", cell, (n, n))
            expect(explore.inspector.locator("output")).to_be_visible()
        levels = explore.page.evaluate(LEVELS)
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(b - a <= 1 for a, b in pairwise(levels)), levels


def test_the_page_has_its_landmarks_and_every_stage_a_labelled_grid(explore: Explore) -> None:
    for role in ("banner", "main", "navigation", "complementary"):
        expect(explore.page.get_by_role(role).first).to_be_visible()
    for stage in STAGES:
        name = stage.replace("_", " ")
        expect(explore.grid(stage)).to_have_accessible_name(re.compile(rf"^{name}: \d+ rows"))
        expect(explore.grid(stage)).to_have_attribute("aria-rowcount", "12")


def test_every_stage_has_a_table_with_its_numbers(explore: Explore) -> None:
    cells = stage_cells(explore.answer(explore.question()), "masked_scores", 0, 0, 0)
    button = explore.card("masked_scores").get_by_role("button", name="Enlarge masked scores")
    button.focus()
    explore.page.keyboard.press("Enter")
    explore.page.get_by_role("checkbox", name="show as table").check()
    table = explore.page.get_by_role("table")
    expect(table.get_by_role("row")).to_have_count(13)
    expect(table.get_by_role("columnheader").nth(1)).to_have_text("animal")
    row = table.get_by_role("row").nth(4).get_by_role("cell")
    found = [text for text in row.all_text_contents() if text]
    assert found == [*(written(value) for value in cells[3, :4]), *["−∞"] * 8]
    explore.page.keyboard.press("Escape")
    expect(table).to_be_hidden()
