"""The map at any size: where a hand leads, what is read of it, what stays when nothing comes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.hands import LONG, Explore, address_has, address_lacks, box, until, written
from tests.browser.pixels import stage_cells

N = 12
TILES = "**/tiles/**"
SMALL = "num_heads=2&d_model=16"
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


def chosen(explore: Explore, name: str) -> Locator:
    """A menu over the map, by its label."""
    return explore.page.locator("#panel-map .choices").get_by_label(re.compile(f"^{name}"))


def rest(page: Page) -> None:
    """Waits until everything that is seen has come."""
    expect(page.locator(".map-box")).not_to_have_class(re.compile("pending"), timeout=LONG)


def open_map(explore: Explore, more: str = "") -> dict[str, Any]:
    explore.page.goto(f"{explore.url}/?source=seeded&tab=map{more}", wait_until="commit")
    canvas(explore).wait_for()
    rest(explore.page)
    return explore.answer(explore.question())


def open_long(explore: Explore, n: int, more: str = "") -> None:
    text = quote(json.dumps({"text": " ".join(f"word{index % 400}" for index in range(n))}))
    explore.page.goto(f"{explore.url}/?tab=map&{SMALL}{more}#{text}", wait_until="commit")
    canvas(explore).wait_for(timeout=LONG)
    rest(explore.page)


def unchanged(explore: Explore) -> str | None:
    """The picture, once it stays as it is for a while."""
    before: str = canvas(explore).evaluate("(c) => c.toDataURL()")
    explore.page.wait_for_timeout(400)
    return before if canvas(explore).evaluate("(c) => c.toDataURL()") == before else None


def readout(explore: Explore) -> Locator:
    return explore.page.locator(".map-box .readout")


def move_to(explore: Explore, row: int, col: int) -> None:
    """Takes the keys to a cell."""
    plot(explore).focus()
    plot(explore).press("Home")
    for _ in range(N):
        plot(explore).press("ArrowUp")
    for key, times in (("ArrowDown", row), ("ArrowRight", col)):
        for _ in range(times):
            plot(explore).press(key)


def test_every_cell_is_read_exactly_and_said_aloud(explore: Explore) -> None:
    reply = open_map(explore)
    weights = stage_cells(reply, "weights", 0, 0, 0)
    explore.page.get_by_role("tab", name="Map").focus()
    move_to(explore, 9, 2)
    expect(readout(explore).locator("b")).to_have_text(written(float(weights[9, 2])))
    expect(readout(explore).locator("span")).to_have_text("too → didn't")
    spoken = explore.page.locator(".map-box [aria-live]")
    expect(spoken).to_have_text(f"weights, too → didn't: {written(float(weights[9, 2]))}")
    move_to(explore, 2, 9)
    expect(readout(explore).locator("b")).to_have_text("0 (masked)")


def test_the_grid_has_its_size_and_its_cell_is_the_one_of_the_keys(explore: Explore) -> None:
    open_map(explore)
    grid = explore.page.get_by_role("grid", name=re.compile("^weights"))
    expect(grid).to_have_attribute("aria-rowcount", str(N))
    move_to(explore, 3, 1)
    active = explore.page.locator(f"#{grid.get_attribute('aria-activedescendant')}")
    expect(active).to_have_attribute("aria-colindex", "2")
    expect(active).to_have_attribute("aria-label", re.compile("^cross → animal: "))


def test_a_press_pins_the_cell_and_the_inspector_explains_it(explore: Explore) -> None:
    open_map(explore)
    move_to(explore, 9, 2)
    plot(explore).press("Enter")
    address_has(explore.page, "cell=weights.9.2")
    expect(explore.inspector.locator("h2")).to_contain_text("too → didn't")
    plot(explore).press("Escape")
    address_lacks(explore.page, "cell=")


def test_a_pointer_reads_the_cell_under_it_and_leaves_nothing_behind(explore: Explore) -> None:
    reply = open_map(explore)
    weights = stage_cells(reply, "weights", 0, 0, 0)
    move_to(explore, 5, 3)
    lit = readout(explore).evaluate("(e) => [e.offsetLeft, e.offsetTop]")
    expect(readout(explore).locator("b")).to_have_text(written(float(weights[5, 3])))
    place = box(plot(explore))
    plot(explore).evaluate("(e) => e.blur()")
    expect(readout(explore)).to_be_hidden()
    # Just beside where the cell of the keys ended, below its upper edge: the next one.
    explore.page.mouse.move(place["x"] + lit[0] + 4, place["y"] + lit[1] + 4)
    expect(readout(explore).locator("b")).to_have_text(written(float(weights[5, 4])))
    explore.page.mouse.move(2, 2)
    expect(readout(explore)).to_be_hidden()


@pytest.mark.parametrize("stage", ["scores", "scaled_scores", "masked_scores"])
def test_each_stage_of_a_map_is_there(explore: Explore, stage: str) -> None:
    reply = open_map(explore, f"&map={stage}")
    cells = stage_cells(reply, stage, 0, 0, 0)
    move_to(explore, 6, 4)
    expect(readout(explore).locator("b")).to_have_text(written(float(cells[6, 4])))


def test_what_is_chosen_is_the_address_and_a_reload_restores_it(explore: Explore) -> None:
    open_map(explore)
    panel = explore.page.locator("#panel-map")
    chosen(explore, "Stage").select_option("masked_scores")
    chosen(explore, "Head").select_option("2")
    chosen(explore, "Cells that share a pixel").select_option("mean")
    chosen(explore, "Colours").select_option("log")
    for _ in range(3):
        panel.get_by_role("button", name="Zoom in").click()
    address_has(explore.page, "map=masked_scores", "head=2", "reduce=mean", "ramp=log", "place=")
    place = re.search(r"place=[\d.]+", explore.page.url)
    assert place
    until(
        explore.page, lambda: canvas(explore).get_attribute("data-head") == "2", "the head is drawn"
    )
    rest(explore.page)
    explore.page.reload(wait_until="commit")
    canvas(explore).wait_for()
    rest(explore.page)
    address_has(explore.page, place[0])
    expect(chosen(explore, "Colours")).to_have_value("log")
    panel.get_by_role("button", name="Whole map").click()
    address_lacks(explore.page, "place=")


def test_it_is_dragged_and_the_wheel_zooms_about_the_pointer(explore: Explore) -> None:
    open_long(explore, 300)
    page = explore.page
    plot(explore).scroll_into_view_if_needed()
    place = box(plot(explore))
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    told = readout(explore).locator("span")
    expect(told).to_be_visible()
    before = told.text_content()
    for _ in range(12):
        page.mouse.wheel(0, -100)
    address_has(page, "place=")
    rest(page)
    expect(told).to_have_text(before or "")
    from_address = page.url
    page.mouse.down()
    page.mouse.move(x - 90, y - 40, steps=4)
    page.mouse.up()
    until(page, lambda: page.url != from_address, "the map has moved")
    address_lacks(page, "cell=")
    plot(explore).press("0")
    address_lacks(page, "place=")


def test_from_afar_a_square_is_read_and_its_largest_cell_is_pinned(explore: Explore) -> None:
    open_long(explore, 1500)
    page = explore.page
    plot(explore).focus()
    plot(explore).press("Home")
    told = readout(explore).locator("b")
    expect(told).to_have_text(re.compile(r"^0\.\d{3} at most in (\d+) × \1$"))
    side = int(re.findall(r"\d+$", told.text_content() or "")[0])
    row = int((page.locator(".map-plot .cursor").get_attribute("aria-rowindex")) or 0) - 1
    plot(explore).press("Enter")
    address_has(page, "cell=weights.")
    found = re.search(r"cell=weights\.(\d+)\.(\d+)", page.url)
    assert found
    rows, cols = slice(row // side * side, (row // side + 1) * side), slice(0, side)
    trace = (canvas(explore).get_attribute("data-map") or "").split()[0]
    block = explore.page.request.get(
        f"{explore.url}/api/v1/traces/{trace}/stages/weights",
        params={"rows": f"{rows.start}:{rows.stop}", "cols": f"0:{cols.stop}"},
    ).json()["values"]
    at = np.unravel_index(np.argmax(np.array(block, dtype=float)), (len(block), len(block[0])))
    assert (int(found[1]), int(found[2])) == (rows.start + int(at[0]), int(at[1]))


def test_a_token_is_looked_for_and_the_next_one(explore: Explore) -> None:
    open_long(explore, 900)
    page = explore.page
    search = page.get_by_role("searchbox", name="Word or number")
    search.fill("word250")
    search.press("Enter")
    status = page.locator(".find [role=status]")
    expect(status).to_have_text("1 of 2: word250₂₅₀")
    address_has(page, "place=250.250.")
    search.press("Enter")
    expect(status).to_have_text("2 of 2: word250₆₅₀")
    address_has(page, "place=650.650.")
    search.fill("333")
    search.press("Enter")
    expect(status).to_have_text("1 of 1: word333₃₃₃")
    address_has(page, "place=650.333.")  # the query in sight sees this key, and stays
    search.fill("nowhere")
    search.press("Enter")
    expect(status).to_have_text("No such token.")


def test_there_is_one_search_in_the_tab_of_the_map(explore: Explore) -> None:
    open_long(explore, 900)
    searches = explore.page.get_by_role("searchbox").and_(explore.page.locator(":visible"))
    expect(searches).to_have_count(1)
    explore.page.get_by_role("tab", name="Heads").click()
    expect(searches).to_have_accessible_name(re.compile("^Find a token by its text"))


def test_the_small_map_leads_there(explore: Explore) -> None:
    open_long(explore, 900, "&place=100.100.40")
    explore.page.locator(".map-side").scroll_into_view_if_needed()
    small = box(explore.page.locator(".mini"))
    frame = explore.page.locator(".mini i")
    before = box(frame)
    explore.page.mouse.click(small["x"] + small["width"] * 0.7, small["y"] + small["height"] * 0.8)
    until(explore.page, lambda: box(frame)["y"] > before["y"] + 60, "the frame is there")
    until(
        explore.page, lambda: re.search(r"place=7\d\d\.", explore.page.url), "the address says so"
    )


def test_what_is_drawn_stays_until_the_next_head_is_there(explore: Explore) -> None:
    open_map(explore)
    page = explore.page
    before = until(page, lambda: unchanged(explore), "every number is written")
    held: list[Route] = []
    page.route(TILES, lambda route: held.append(route))
    chosen(explore, "Head").select_option("1")
    until(page, lambda: held, "the tile is asked for")
    page.wait_for_timeout(300)
    assert canvas(explore).evaluate("(c) => c.toDataURL()") == before
    dimmed = "(c) => Number(getComputedStyle(c).opacity) < 1"
    until(page, lambda: canvas(explore).evaluate(dimmed), "it is dimmed")
    for route in held:
        route.continue_()
    until(
        page, lambda: canvas(explore).get_attribute("data-head") == "1", "the other head is drawn"
    )
    assert canvas(explore).evaluate("(c) => c.toDataURL()") != before
    until(page, lambda: not canvas(explore).evaluate(dimmed), "it is dimmed no more")


def test_a_head_that_is_left_at_once_is_not_drawn(explore: Explore) -> None:
    open_map(explore)
    heads = chosen(explore, "Head")
    for head in ("1", "2", "3", "1"):
        heads.select_option(head)
    until(
        explore.page,
        lambda: canvas(explore).get_attribute("data-head") == "1",
        "the last one is drawn",
    )
    rest(explore.page)
    assert canvas(explore).get_attribute("data-head") == "1"


def test_while_no_answer_comes_the_map_stays_and_says_so(elsewhere: Callable[..., Explore]) -> None:
    explore = elsewhere("/?source=seeded&tab=stages")
    open_map(explore)
    page = explore.page
    page.route(TILES, lambda route: route.abort())
    page.route("**/map/**", lambda route: route.abort())
    chosen(explore, "Head").select_option("3")
    note = page.locator(".map-note")
    expect(note).to_contain_text("No answer from the server")
    assert canvas(explore).get_attribute("data-head") == "0"
    page.unroute(TILES)
    page.unroute("**/map/**")
    until(
        page, lambda: canvas(explore).get_attribute("data-head") == "3", "the head is drawn at last"
    )
    expect(note).to_be_empty()
    explore.watch.forget()  # requests that were cut off are told by the browser


def test_a_trace_that_the_server_forgot_is_named_again(explore: Explore) -> None:
    open_map(explore)
    page = explore.page
    gone = {"status": 404, "code": "unknown_trace", "title": "gone", "detail": "gone", "errors": []}
    refused: list[str] = []

    def forget(route: Route) -> None:
        if refused:
            return route.continue_()
        refused.append(route.request.url)
        return route.fulfill(
            status=404, content_type="application/problem+json", body=json.dumps(gone)
        )

    page.route("**/map/**", forget)
    chosen(explore, "Head").select_option("2")
    until(page, lambda: canvas(explore).get_attribute("data-head") == "2", "the head is drawn")
    assert refused
    explore.watch.forget()  # the 404 is told by the browser


def test_one_token_is_a_map_of_one_cell(explore: Explore) -> None:
    open_map(explore, "&text=alone")
    plot(explore).focus()
    expect(readout(explore).locator("b")).to_have_text("1.000")
    for key in ("ArrowDown", "+", "-", "End"):
        plot(explore).press(key)
    expect(readout(explore).locator("span")).to_have_text("alone → alone")


def test_queries_and_keys_may_differ_in_number(explore: Explore) -> None:
    open_map(explore, "&text=Die%20Katze&context=The%20cat%20sat%20down")
    grid = explore.page.get_by_role("grid", name=re.compile("^weights"))
    expect(grid).to_have_attribute("aria-colcount", "4")
    plot(explore).focus()
    plot(explore).press("End")
    expect(readout(explore).locator("span")).to_have_text(re.compile("→ down$"))


def test_the_numbers_in_sight_are_a_table_too(explore: Explore) -> None:
    reply = open_map(explore, "&table=true")
    table = explore.page.locator("#panel-map table")
    weights = stage_cells(reply, "weights", 0, 0, 0)
    cell = table.locator("tbody tr").nth(9).locator("td").nth(2)
    expect(cell).to_have_text(written(float(weights[9, 2])))
    cell.click()
    address_has(explore.page, "cell=weights.9.2")


def test_the_theme_and_the_colours_change_the_picture_and_ask_for_nothing(explore: Explore) -> None:
    open_map(explore, "&map=scores")
    page = explore.page
    before = canvas(explore).evaluate("(c) => c.toDataURL()")
    asked = [request.url for request in explore.watch.requests]
    chosen(explore, "Colours").select_option("log")
    until(page, lambda: canvas(explore).evaluate("(c) => c.toDataURL()") != before, "other colours")
    new = [r.url for r in explore.watch.requests if r.url not in asked]
    assert not [url for url in new if "/tiles/" in url or "/map/" in url]


def test_a_finger_moves_what_is_zoomed_and_scrolls_past_what_is_whole(
    elsewhere: Callable[..., Explore],
) -> None:
    phone = elsewhere(None, viewport={"width": 390, "height": 844}, has_touch=True)
    open_map(phone)
    touch = "(e) => getComputedStyle(e).touchAction"
    assert plot(phone).evaluate(touch) == "pan-y"
    for _ in range(2):
        phone.page.get_by_role("button", name="Zoom in").tap()
    until(phone.page, lambda: plot(phone).evaluate(touch) == "none", "a finger moves the map")
    within = "document.documentElement.scrollWidth <= 390"
    assert phone.page.evaluate(within)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_words_of_every_choice_fit(window: Explore, language: str) -> None:
    open_map(window, f"&context_length=80&lang={language}")  # so many keys have colours by the root
    cut: list[str] = []
    for width in (1024, 390, 1440):
        window.page.set_viewport_size({"width": width, "height": 900})
        cut += window.page.evaluate(CUT_SHORT)
    assert cut == []
