"""Small windows and fingers: nothing is cut off, nothing scrolls sideways, a touch does all."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hands import Explore, until, written
from tests.browser.pixels import stage_cells

Opens = Callable[..., Explore]
# A small phone, an old one, one on its side, and a laptop's window at 200 %.
SIZES = {"320": (320, 640), "360": (360, 740), "landscape": (740, 360), "zoomed": (720, 450)}
STATES = {
    "/": '[data-stage="weights"] canvas[data-layer]',
    "/?stage=weights&cell=weights.9.2": "#large[open] canvas[data-layer]",
    "/?stage=weights&table=true": "#large[open] table",
    "/?tab=heads": "#panels .tile canvas",
    "/?tab=lines": "#panels canvas",
    "/?tab=weights&bias=true": "#panel-weights .token-dot",
    "/?tab=decode": "#panel-decode .rows-of canvas",
    "/?tab=lab": "#panel-lab circle",
    "/?tab=lab&lab=precision": "#panel-lab tbody td",
    f"/?tab=lab&text={'Donaudampfschiff' * 5}": "#panel-lab circle",
    f"/?tab=gradients&text={'Donaudampfschiff' * 5}": "#panel-gradients canvas",
    "/?step=scores.40": "#stepper .chip",
    "/?stage=scores&present=1": "body[data-present] #large[open]",
    "/?source=explicit": ".matrices",
    "/?change=x&text=a%20b&d_model=4&num_heads=1": "#editor input",
    "/?change=w_o": "#editor canvas",
    "/?text=Die%20Katze&context=The%20cat": '[data-stage="weights"] canvas[data-layer]',
    "/compare?b.seed=1": '[data-of="difference"] canvas[data-layer]',
    "/compare?b.seed=1&stage=weights&cell=weights.1.0": "#large[open] canvas[data-layer]",
    "/learn": "h1",
    "/learn/asking": "h1",
    "/api": "h1",
    "/embed?stage=weights": "#large[open] canvas[data-layer]",
    "/nowhere": "h1",
}
# What reaches over the window's edge and stands in nothing that scrolls by itself.
OUTSIDE = """() => {
  const width = document.documentElement.clientWidth;
  const held = (element) => element.closest(".hidden, .skip, svg") ||
    (element.parentElement && (getComputedStyle(element.parentElement).overflowX !== "visible"
      || held(element.parentElement)));
  return [...document.body.querySelectorAll("*")].filter((element) => {
    const { left, right, width: own } = element.getBoundingClientRect();
    const over = own > 0 && (left < -1 || right > width + 1);
    return over && element.checkVisibility() && !held(element);
  }).map((element) => element.id || element.className || element.tagName);
}"""
# The header's links must be seen, not scrolled to.
CUT = """() => {
  const nav = document.querySelector(".top nav");
  return nav ? nav.scrollWidth - nav.clientWidth : 0;
}"""


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut_off_or_scrolls_sideways(
    new_page: Callable[..., Page], live_server: str, size: str, lang: str
) -> None:
    width, height = SIZES[size]
    page = new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    found = {}
    for state, sign in STATES.items():
        page.goto(f"{live_server}{state}{'&' if '?' in state else '?'}lang={lang}")
        page.locator(sign).first.wait_for(state="attached")
        wide = page.evaluate("document.documentElement.scrollWidth") - width
        found[state] = (max(wide, 0), page.evaluate(OUTSIDE), page.evaluate(CUT))
    assert {state: told for state, told in found.items() if told != (0, [], 0)} == {}


def test_a_phone_on_its_side_shows_the_picture_beside_its_arithmetic(elsewhere: Opens) -> None:
    window = elsewhere(
        "/?stage=weights&cell=weights.9.2", viewport={"width": 740, "height": 360}, has_touch=True
    )
    expect(window.inspector.locator(".value output")).to_be_visible()
    picture = window.page.locator("#large .plot").bounding_box()
    told = window.inspector.bounding_box()
    assert picture is not None
    assert told is not None
    assert picture["height"] > 150
    assert picture["x"] + picture["width"] <= told["x"]
    assert told["height"] > 300


@pytest.mark.parametrize(("width", "height"), [(390, 844), (360, 740)])
def test_the_first_picture_is_seen_under_one_line_that_says_what_is_set(
    elsewhere: Opens, width: int, height: int
) -> None:
    window = elsewhere(viewport={"width": width, "height": height})
    card = window.card("x").bounding_box()
    assert card is not None
    assert card["y"] + card["height"] < height
    told = window.page.locator("#options summary").first
    expect(told).to_have_text("seeded · 4 heads · causal · 1/√d_k · T 1")
    expect(window.field("heads")).to_be_hidden()
    told.focus()
    window.page.keyboard.press("Enter")
    window.ask(lambda: window.field("heads").fill("1"))
    window.ask(lambda: window.field("Mask").select_option(label="none"))
    window.ask(lambda: window.field("Scale").first.select_option(label="none"))
    expect(told).to_have_text("seeded · 1 head · no mask · unscaled · T 1")
    told.click()
    expect(window.field("heads")).to_be_hidden()


def test_the_deeds_of_a_phone_are_one_row_that_scrolls(elsewhere: Opens) -> None:
    window = elsewhere(viewport={"width": 390, "height": 844})
    row = window.page.locator(".deeds")
    last = row.get_by_role("button", name="Show change")
    expect(last).to_be_enabled()  # it stands disabled until what it does is here
    tops = row.locator("button:visible, summary:visible").evaluate_all(
        "(all) => all.map((each) => Math.round(each.getBoundingClientRect().top))"
    )
    assert len(tops) == 9
    assert len(set(tops)) == 1
    last.focus()
    box = last.bounding_box()
    assert box is not None
    assert 0 <= box["x"] <= 390 - box["width"]
    row.get_by_text("Examples", exact=True).click()
    expect(row.get_by_role("button", name="Family outing, one head")).to_be_in_viewport()


def test_from_700_px_on_the_options_stand_open(elsewhere: Opens) -> None:
    window = elsewhere(viewport={"width": 700, "height": 900})
    expect(window.field("heads")).to_be_visible()
    expect(window.page.locator("#options summary").first).to_be_hidden()
    window.page.set_viewport_size({"width": 390, "height": 844})
    expect(window.field("heads")).to_be_hidden()
    expect(window.page.locator("#options summary").first).to_be_visible()


def test_each_side_of_a_comparison_has_its_line(elsewhere: Opens) -> None:
    window = elsewhere(None, viewport={"width": 390, "height": 844})
    window.page.goto(f"{window.url}/compare?b.causal=false&b.temperature=2")
    for side, words in (("a", "causal · 1/√d_k · T 1"), ("b", "no mask · 1/√d_k · T 2")):
        told = window.page.locator(f"#{side} .options summary").first
        expect(told).to_have_text(f"seeded · 4 heads · {words}")


class Finger:
    """One finger: it is put down, moved and lifted."""

    def __init__(self, page: Page) -> None:
        self.page, self.session = page, page.context.new_cdp_session(page)

    def send(self, kind: str, *points: tuple[float, float]) -> None:
        where = [{"x": x, "y": y} for x, y in points]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})
        self.page.wait_for_timeout(25)

    def down(self, point: tuple[float, float]) -> None:
        self.send("touchStart", point)

    def move(self, point: tuple[float, float]) -> None:
        self.send("touchMove", point)

    def up(self) -> None:
        self.send("touchEnd")


def test_a_tap_pins_and_a_drag_moves_the_cell(elsewhere: Opens) -> None:
    window = elsewhere(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = window.page
    weights = stage_cells(window.answer(window.question()), "weights", 0, 0, 0)
    window.canvas("weights").scroll_into_view_if_needed()
    page.touchscreen.tap(*window.point("weights", (5, 2), weights.shape))
    expect(window.inspector.locator("output")).to_have_text(written(weights[5, 2]))
    page.get_by_role("button", name="Let go of the cell").tap()
    window.canvas("weights").scroll_into_view_if_needed()
    readout = window.card("weights").locator(".readout")
    scrolled = page.evaluate("scrollY")
    finger = Finger(page)
    finger.down(window.point("weights", (9, 1), weights.shape))
    for cell in ((9, 3), (9, 5), (9, 7), (6, 4)):
        finger.move(window.point("weights", cell, weights.shape))
    number = written(weights[6, 4])
    until(page, lambda: number in readout.inner_text(), "the readout follows the finger")
    assert page.evaluate("scrollY") == scrolled
    finger.up()
    expect(readout).to_be_hidden()
    expect(window.inspector.locator("output")).to_have_count(0)


def test_a_finger_that_moves_up_over_a_picture_scrolls_the_page(elsewhere: Opens) -> None:
    window = elsewhere(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = window.page
    window.canvas("scores").scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    x, y = window.point("scores", (6, 6), (12, 12))
    finger = Finger(page)
    finger.down((x, y))
    for step in range(1, 9):
        finger.move((x, y - 20 * step))
    finger.up()
    until(page, lambda: page.evaluate("scrollY") > before + 40, "the page scrolls")
