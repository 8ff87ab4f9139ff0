"""Painting the mask by hand and by key, and a slider that is pushed by key."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, until

SHAPE = (6, 6)
STAGE = "masked_scores"


def draw(explore: Explore, *cells: tuple[int, int]) -> None:
    """One stroke through some cells."""
    mouse = explore.page.mouse
    mouse.move(*explore.point(STAGE, cells[0], SHAPE))
    mouse.down()
    for cell in cells[1:]:
        mouse.move(*explore.point(STAGE, cell, SHAPE), steps=4)
    mouse.up()


def blocked(explore: Explore, cells: list[list[int]]) -> dict[str, Any]:
    """Waits until the page asks with these cells closed by hand, and shows that."""
    until(
        explore.page,
        lambda: explore.question().get("blocked", []) == cells,
        f"{cells} are blocked",
    )
    explore.shows(explore.question(), [STAGE, "weights"])
    return explore.question()


def test_the_mask_is_painted_by_hand_and_by_key_and_a_slider_is_pushed(window: Explore) -> None:
    window.open("/?change=mask&text=a%20b%20c%20d%20e%20f")
    page = window.page
    panel = page.get_by_role("region", name="Change anything")
    panel.wait_for()
    window.card(STAGE).scroll_into_view_if_needed()
    draw(window, (5, 1), (5, 4))
    row = [[5, 1], [5, 2], [5, 3], [5, 4]]
    one_stroke = blocked(window, row)
    expect(window.value).to_have_count(0)  # painting pins no cell
    draw(window, (5, 2), (5, 3))
    blocked(window, [row[0], row[3]])
    address_has(page, "blocked=5.1_5.4")
    page.keyboard.press("Control+z")
    window.shows(one_stroke, [STAGE, "weights"])
    page.keyboard.press("Control+z")
    window.shows({**one_stroke, "blocked": []}, [STAGE, "weights"])

    grid = window.grid(STAGE)
    grid.focus()
    for key in ("End", "Home", "ArrowDown", "ArrowDown", "ArrowRight", "Space"):
        grid.press(key)
    blocked(window, [[2, 1]])
    expect(panel.get_by_role("status")).to_have_text("The cell is closed.")
    grid.press("Enter")
    expect(window.inspector).to_contain_text("masked scores")

    panel.get_by_role("button", name="scaling").click()
    body = window.ask(lambda: panel.get_by_role("slider", name="d_k").press("End"))
    assert body["model"]["d_k"] == 1024
    window.shows(body, ["scaled_scores", "weights"])
