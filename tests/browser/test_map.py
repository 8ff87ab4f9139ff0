"""The map in a browser: how it lies and is dimmed, and how mouse, wheel and finger move it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.checks import Theme
from tests.browser.hands import LONG, Explore, address_has, address_lacks, box, until, written
from tests.browser.pixels import stage_cells

TILES = "**/tiles/**"
PICTURE = "(canvas) => canvas.toDataURL()"
DIMMED = "(canvas) => Number(getComputedStyle(canvas).opacity) < 1"
TOUCH = "(element) => getComputedStyle(element).touchAction"
# The colour in the middle of a canvas, and that of its card.
MIDDLE = """(canvas) => {
  const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, -canvas.width / 2, -canvas.height / 2);
  const [red, green, blue] = copy.getImageData(0, 0, 1, 1).data;
  const { backgroundColor } = getComputedStyle(canvas.closest(".card"));
  return [`rgb(${red}, ${green}, ${blue})`, backgroundColor];
}"""
# The menus over the map that are narrower than their longest words.
CUT_SHORT = """() => [...document.querySelectorAll("#panel-map .choices select")]
  .filter((menu) => menu.checkVisibility())
  .filter((menu) => {
    const { width } = menu.getBoundingClientRect();
    menu.style.maxWidth = "none";
    menu.style.position = "absolute";
    const whole = menu.getBoundingClientRect().width;
    menu.removeAttribute("style");
    return width < whole;
  })
  .map((menu) => menu.selectedOptions[0].text)"""


def plot(explore: Explore) -> Locator:
    return explore.page.locator(".map-plot")


def canvas(explore: Explore) -> Locator:
    return plot(explore).locator("canvas[data-map]")


def readout(explore: Explore) -> Locator:
    return explore.page.locator(".map-box .readout")


def rest(page: Page) -> None:
    """Waits until everything that is seen has come."""
    expect(page.locator(".map-box")).not_to_have_class(re.compile("pending"), timeout=LONG)


def open_map(explore: Explore, more: str = "") -> dict[str, Any]:
    explore.page.goto(f"{explore.url}/?source=seeded&tab=map{more}", wait_until="commit")
    canvas(explore).wait_for()
    rest(explore.page)
    return explore.answer(explore.question())


def test_a_cell_is_read_by_keys_and_pointer_and_the_map_is_dimmed_until_another_head_comes(
    explore: Explore,
) -> None:
    page = explore.page
    explore.tab("Map").click()
    canvas(explore).wait_for()
    rest(page)
    weights = stage_cells(explore.answer(explore.question()), "weights", 0, 0, 0)
    plot(explore).focus()
    for key in ("Home", *["ArrowUp"] * 12, *["ArrowDown"] * 5, *["ArrowRight"] * 3):
        plot(explore).press(key)
    expect(readout(explore).locator("b")).to_have_text(written(float(weights[5, 3])))
    lit = readout(explore).evaluate("(e) => [e.offsetLeft, e.offsetTop]")
    place = box(plot(explore))
    plot(explore).evaluate("(e) => e.blur()")
    expect(readout(explore)).to_be_hidden()
    # Beside the end of the lit cell, below its upper edge: the next cell.
    page.mouse.move(place["x"] + lit[0] + 4, place["y"] + lit[1] + 4)
    expect(readout(explore).locator("b")).to_have_text(written(float(weights[5, 4])))
    page.mouse.down()
    page.mouse.up()
    address_has(page, "cell=weights.5.4")
    expect(explore.inspector.get_by_role("heading", level=2)).to_contain_text("street → the")
    page.mouse.move(2, 2)
    expect(readout(explore)).to_be_hidden()
    another_head_comes_late(explore)


def another_head_comes_late(explore: Explore) -> None:
    """The picture stays, dimmed, until the tiles of the next one are there."""
    page = explore.page
    before = canvas(explore).evaluate(PICTURE)
    held: list[Route] = []
    page.route(TILES, lambda route: held.append(route))
    page.get_by_role("group", name="Stage and colours").get_by_label("Head").select_option("1")
    until(page, lambda: held and canvas(explore).evaluate(DIMMED), "the map is dimmed")
    assert canvas(explore).evaluate(PICTURE) == before
    for route in held:
        route.continue_()
    until(page, lambda: canvas(explore).get_attribute("data-head") == "1", "head 1 is drawn")
    assert canvas(explore).evaluate(PICTURE) != before
    until(page, lambda: not canvas(explore).evaluate(DIMMED), "the map is dimmed no more")


def test_before_its_first_picture_a_map_has_the_colour_of_its_card(window: Explore) -> None:
    held: list[Route] = []
    window.page.route("**/map/weights*", lambda route: held.append(route))
    window.page.goto(f"{window.url}/?source=seeded&tab=map", wait_until="commit")
    loading = plot(window).locator("canvas")
    until(window.page, lambda: held, "the map is asked for")
    themes: tuple[Theme, ...] = ("light", "dark")
    for theme in themes:
        window.page.emulate_media(color_scheme=theme)
        until(window.page, lambda: len(set(loading.evaluate(MIDDLE))) == 1, theme)
    window.page.emulate_media(color_scheme="light")
    for route in held:
        route.continue_()
    rest(window.page)


def test_the_wheel_keeps_the_cell_under_the_pointer_and_a_drag_moves_the_map(
    window: Explore,
) -> None:
    page = window.page
    text = quote(json.dumps({"text": " ".join(f"word{index}" for index in range(300))}))
    page.goto(f"{window.url}/?tab=map&num_heads=2&d_model=16#{text}", wait_until="commit")
    canvas(window).wait_for()
    rest(page)
    plot(window).scroll_into_view_if_needed()
    place = box(plot(window))
    x, y = place["x"] + place["width"] * 0.36, place["y"] + place["height"] * 0.6
    page.mouse.move(x, y)
    cell = readout(window).locator("span")
    expect(cell).to_be_visible()
    before = cell.text_content() or ""
    for turn in [-100] * 8 + [100] * 4:
        page.mouse.wheel(0, turn)
        expect(cell).to_have_text(before)
    address_has(page, "place=")
    rest(page)
    zoomed = page.url
    page.mouse.down()
    page.mouse.move(x - 90, y - 40, steps=4)
    page.mouse.up()
    expect(cell).to_have_text(before)  # the map has moved with the pointer
    page.mouse.move(x, y)
    expect(cell).not_to_have_text(before)
    until(page, lambda: page.url != zoomed, "the map has moved")
    address_lacks(page, "cell=")
    moved = page.url
    small = box(page.locator(".mini"))
    page.mouse.click(small["x"] + small["width"] * 0.1, small["y"] + small["height"] * 0.9)
    until(page, lambda: page.url != moved and "place=2" in page.url, "the map is near its end")
    plot(window).press("0")
    address_lacks(page, "place=")


def test_a_finger_moves_what_is_zoomed_and_scrolls_past_what_is_whole(
    elsewhere: Callable[..., Explore],
) -> None:
    phone = elsewhere(None, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    open_map(phone)
    assert plot(phone).evaluate(TOUCH) == "pan-y"
    for _ in range(2):
        phone.page.get_by_role("button", name="Zoom in").tap()
    until(phone.page, lambda: plot(phone).evaluate(TOUCH) == "none", "a finger moves the map")
    assert phone.page.evaluate("document.documentElement.scrollWidth <= 390")


def test_the_words_of_every_choice_fit(window: Explore) -> None:
    cut: list[str] = []
    for language in ("en", "zh"):
        # So many keys have colours by the root.
        open_map(window, f"&context_length=80&lang={language}")
        for width in (1024, 390, 1440):
            window.page.set_viewport_size({"width": width, "height": 900})
            cut += window.page.evaluate(CUT_SHORT)
    assert cut == []
