"""Painting the mask, and what d_k and the scale do to the weights."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, address_has, box, until

MASK = "/?change=mask&text=a%20b%20c%20d%20e%20f"
SHAPE = (6, 6)
STAGE = "masked_scores"


def panel(explore: Explore) -> Locator:
    return explore.page.get_by_role("region", name="Change anything")


def draw(explore: Explore, *cells: tuple[int, int]) -> None:
    """One stroke through some cells."""
    mouse = explore.page.mouse
    mouse.move(*explore.point(STAGE, cells[0], SHAPE))
    mouse.down()
    for cell in cells[1:]:
        mouse.move(*explore.point(STAGE, cell, SHAPE), steps=4)
    mouse.up()


def blocked(explore: Explore, cells: list[list[int]]) -> dict[str, Any]:
    """Waits until the page asks with these cells closed by hand."""
    until(
        explore.page,
        lambda: explore.question().get("blocked", []) == cells,
        f"{cells} are blocked",
    )
    return explore.question()


def open_at(explore: Explore, address: str) -> None:
    explore.open(address)
    panel(explore).wait_for()
    explore.card(STAGE).scroll_into_view_if_needed()


def test_a_stroke_closes_cells_and_another_opens_them(explore: Explore) -> None:
    open_at(explore, MASK)
    draw(explore, (5, 1), (5, 4))
    closed = [[5, 1], [5, 2], [5, 3], [5, 4]]
    explore.shows(blocked(explore, closed), [STAGE, "weights", "output"])
    expect(panel(explore)).to_contain_text("4 cells closed by hand")
    expect(explore.page.locator("#inspector.pinned")).to_have_count(0)  # painting pins no cell
    draw(explore, (5, 2), (5, 3))
    explore.shows(blocked(explore, [[5, 1], [5, 4]]), [STAGE, "weights"])
    address_has(explore.page, "blocked=5.1_5.4")


def test_a_stroke_is_one_step_of_undo(explore: Explore) -> None:
    open_at(explore, MASK)
    first = explore.question()
    draw(explore, (3, 0), (5, 0))
    painted = blocked(explore, [[3, 0], [4, 0], [5, 0]])
    explore.page.keyboard.press("Control+z")
    explore.shows(first, [STAGE, "weights"])
    expect(explore.page.get_by_role("button", name="Undo")).to_be_disabled()
    explore.page.keyboard.press("Control+Shift+z")
    explore.shows(painted, [STAGE, "weights"])


def test_cells_of_another_mask_are_not_painted_until_all_are(explore: Explore) -> None:
    open_at(explore, MASK)
    draw(explore, (1, 1), (1, 3))  # the causal mask begins beside the first
    blocked(explore, [[1, 1]])
    draw(explore, (0, 4), (0, 4))
    expect(panel(explore)).to_contain_text("closed by the causal mask")
    panel(explore).get_by_role("button", name="Paint every mask").click()
    causal = [[i, j] for i in range(6) for j in range(6) if j > i]
    body = blocked(explore, sorted([*causal, [1, 1]]))
    assert body["causal"] is False
    explore.shows(body, [STAGE, "weights"])
    draw(explore, (0, 4), (0, 4))
    body = blocked(explore, sorted([*[cell for cell in causal if cell != [0, 4]], [1, 1]]))
    explore.shows(body, [STAGE, "weights"])
    panel(explore).get_by_role("button", name="Open them all").click()
    explore.shows({**body, "blocked": []}, [STAGE, "weights"])


def test_the_space_bar_paints_at_the_cursor(explore: Explore) -> None:
    open_at(explore, MASK)
    grid = explore.grid(STAGE)
    grid.focus()
    for key in ("End", "Home", "ArrowDown", "ArrowDown", "ArrowRight", "Space"):
        grid.press(key)
    explore.shows(blocked(explore, [[2, 1]]), [STAGE, "weights"])
    expect(panel(explore).get_by_role("status")).to_have_text("The cell is closed.")
    grid.press("Space")
    expect(panel(explore)).to_contain_text("0 cells closed by hand")
    grid.press("Enter")  # pins, as everywhere
    expect(explore.inspector).to_contain_text("masked scores")


def test_with_the_panel_closed_a_press_pins_again(explore: Explore) -> None:
    open_at(explore, MASK)
    panel(explore).get_by_role("button", name="Close the panel").click()
    explore.click(STAGE, (3, 1), SHAPE)
    expect(explore.inspector).to_contain_text("d → b")
    assert explore.question()["blocked"] == []


def test_the_large_map_is_painted_too(explore: Explore) -> None:
    explore.open(f"{MASK}&stage={STAGE}")
    panel(explore).wait_for()
    plot = explore.page.locator("#large .plot canvas[data-layer]")
    place = box(plot)
    x, y = place["x"] + place["width"] * 0.4 / 6, place["y"] + place["height"] * 4.5 / 6
    explore.page.mouse.click(x, y)
    explore.shows(blocked(explore, [[4, 0]]), [STAGE])


def test_long_painted_masks_are_kept_by_their_trace(explore: Explore) -> None:
    page, words = explore.page, "%20".join(["word"] * 60)
    open_at(explore, f"/?change=mask&text={words}")
    panel(explore).get_by_role("button", name="Paint every mask").click()
    until(page, lambda: len(explore.question().get("blocked", [])) == 60 * 59 // 2, "all painted")
    body = explore.question()
    until(page, lambda: f"t={explore.answer(body)['trace']}" in page.url, "the trace")
    assert explore.ask(page.reload) == body


def test_d_k_is_changed_with_and_without_scaling(explore: Explore) -> None:
    explore.open("/?change=scaling&text=a%20b%20c")
    own = panel(explore)
    body = explore.ask(lambda: own.get_by_role("slider", name="d_k").press("End"))
    assert body["model"]["d_k"] == 1024
    explore.shows(body, ["scaled_scores", "weights"])
    entropy = own.locator("dt", has_text="entropy").locator("+ dd")
    scaled = float(entropy.text_content() or "")
    body = explore.ask(lambda: own.get_by_label("divide by √d_k").uncheck())
    assert body["scale"] == "none"
    explore.shows(body, ["scaled_scores", "weights"])
    until(
        explore.page,
        lambda: float(entropy.text_content() or "") < scaled,
        "larger scores make sharper weights",
    )


def test_the_scale_slides(explore: Explore) -> None:
    explore.open("/?change=scaling&text=a%20b%20c")
    slider = panel(explore).get_by_role("slider", name="scale")
    body = explore.ask(lambda: slider.press("Home"))
    assert body["scale"] == 0.001
    explore.shows(body, ["scaled_scores", "weights"])
    expect(slider).to_have_attribute("aria-valuetext", "0.001")


@pytest.mark.parametrize(("name", "value"), [("d_k", "4"), ("scale", "-0.6")])
def test_the_thumb_of_a_slider_follows_an_undo(explore: Explore, name: str, value: str) -> None:
    explore.open("/?change=scaling&text=a%20b%20c")
    slider = panel(explore).get_by_role("slider", name=name)
    expect(slider).to_have_value(value)
    slider.focus()
    for _ in range(2):
        slider.press("Home")
        expect(slider).not_to_have_value(value)
        slider.press("Control+z")
        expect(slider).to_have_value(value)


def test_the_width_of_written_weights_is_theirs(explore: Explore) -> None:
    explore.open("/?change=scaling&source=explicit&text=a%20b")
    expect(panel(explore).get_by_role("slider", name="d_k")).to_be_disabled()
