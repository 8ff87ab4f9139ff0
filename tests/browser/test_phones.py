"""Small windows and fingers: nothing is cut off, nothing scrolls sideways, a touch does all."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hands import PATIENCE, SEEDED, Explore, box, middle, until, written
from tests.browser.pixels import stage_cells

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Opens = Callable[..., Explore]
# A small phone, an old one, one on its side, and a laptop's window at 200 %.
SIZES = {"320": (320, 640), "360": (360, 740), "landscape": (740, 360), "zoomed": (720, 450)}
STATES = {
    "/": '[data-stage="weights"] canvas[data-layer]',
    "/?stage=weights&cell=weights.9.2": "#large[open] canvas[data-layer]",
    "/?stage=weights&table=true": "#large[open] table",
    "/?tab=heads": "#panels .tile canvas",
    "/?tab=lines": "#panels canvas",
    "/?tab=parameters&bias=true": "#panel-parameters .token-dot",
    "/?tab=decode": "#panel-decode .rows-of canvas",
    "/?tab=lab": "#panel-lab circle",
    "/?tab=lab&lab=precision": "#panel-lab tbody td",
    "/?tab=lab&lab=costs&sizes=131072.8192.64.64": "#panel-lab circle",
    "/?tab=lab&lab=linear": "#panel-lab .linear-of td",
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
    "/models": "h1",
    "/models/echo": "#spectra svg",
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
WIDE = """const sheet = new CSSStyleSheet();
sheet.replaceSync(":is(.legend, .readout) { letter-spacing: 0.12em }");
document.adoptedStyleSheets = [sheet];"""
# The header's links must be seen, not scrolled to.
CUT = """() => {
  const nav = document.querySelector(".top nav");
  return nav ? nav.scrollWidth - nav.clientWidth : 0;
}"""


@pytest.fixture(scope="module")
def small(browser: Browser) -> Iterator[Page]:
    """One window for every state, at every size."""
    context = browser.new_context(reduced_motion="reduce")
    context.set_default_timeout(PATIENCE * 1000)
    yield context.new_page()
    context.close()


def cut_off(page: Page) -> tuple[int, list[str], int]:
    """By how much the page and its links are too wide, and what reaches over the edge."""
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return max(wide, 0), page.evaluate(OUTSIDE), page.evaluate(CUT)


def settled(page: Page, width: int) -> tuple[int, list[str], int]:
    """What is cut off once the pictures are drawn anew for the width."""
    until(page, lambda: page.evaluate("innerWidth") == width, f"{width} pixels")
    end = time.monotonic() + PATIENCE
    while (found := cut_off(page)) != (0, [], 0) and time.monotonic() < end:
        page.wait_for_timeout(30)
    return found


@pytest.mark.parametrize("lang", ["en", pytest.param("zh", marks=pytest.mark.full)])
@pytest.mark.parametrize("state", STATES)
def test_nothing_is_cut_off_or_scrolls_sideways(
    small: Page, live_server: str, state: str, lang: str
) -> None:
    """Opened at one size, each state at another, and then turned and drawn to the others."""
    names = list(SIZES)
    first = (list(STATES).index(state) + (lang == "zh")) % len(names)
    for size in (*names[first:], *names[:first]):
        width, height = SIZES[size]
        small.set_viewport_size({"width": width, "height": height})
        if size == names[first]:
            small.goto(f"{live_server}{state}{'&' if '?' in state else '?'}lang={lang}")
            small.locator(STATES[state]).first.wait_for(state="attached")
        assert settled(small, width) == (0, [], 0), size


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_is_cut_off_in_a_wide_font(
    new_page: Callable[..., Page], live_server: str, lang: str
) -> None:
    """Nobody knows how wide the reader's font is: Noto Sans and DejaVu Sans are a tenth wider."""
    page = new_page(viewport={"width": 320, "height": 640}, bypass_csp=True)
    page.add_init_script(WIDE)
    found = {}
    for state, sign in STATES.items():
        if state.startswith("/compare"):
            page.goto(f"{live_server}{state}&lang={lang}")
            page.locator(sign).first.wait_for(state="attached")
            if "cell=" in state:  # the readout finds room on neither side
                page.locator("#large .plot").focus()
                page.locator(".readout:visible").first.wait_for()
            found[state] = page.evaluate(OUTSIDE)
    assert {state: told for state, told in found.items() if told} == {}


def test_a_phone_on_its_side_shows_the_picture_beside_its_arithmetic(elsewhere: Opens) -> None:
    window = elsewhere(
        "/?stage=weights&cell=weights.9.2", viewport={"width": 740, "height": 360}, has_touch=True
    )
    expect(window.inspector.locator(".value output")).to_be_visible()
    picture, told = box(window.page.locator("#large .plot")), box(window.inspector)
    assert picture["height"] > 150
    assert picture["x"] + picture["width"] <= told["x"]
    assert told["height"] > 300


def test_no_page_is_cut_off_in_chinese(small: Page, live_server: str) -> None:
    """At the narrowest size alone; `make test-full` has every state at every size."""
    width, height = SIZES["320"]
    small.set_viewport_size({"width": width, "height": height})
    found = {}
    for state in (each for each in STATES if "?" not in each):
        small.goto(f"{live_server}{state}?lang=zh")
        small.locator(STATES[state]).first.wait_for(state="attached")
        found[state] = settled(small, width)
    assert {state: cut for state, cut in found.items() if cut != (0, [], 0)} == {}


@pytest.mark.parametrize(("width", "height"), [(390, 844), (740, 360)])
def test_the_arithmetic_covers_no_scene_that_is_told(
    elsewhere: Opens, width: int, height: int
) -> None:
    viewport = {"width": width, "height": height}
    window = elsewhere("/?step=scores.100&cell=weights.9.2", viewport=viewport)
    expect(window.inspector.locator(".value output")).to_be_visible()
    scene, told = box(window.page.locator("#stepper .scene")), box(window.inspector)
    assert told["y"] >= scene["y"] + scene["height"]


@pytest.mark.parametrize(("width", "height"), [(390, 844), (360, 740), (720, 450)])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_sentence_and_its_arcs_are_seen_under_one_line_that_says_what_is_set(
    elsewhere: Opens, width: int, height: int, lang: str
) -> None:
    window = elsewhere(f"/?source=seeded&lang={lang}", viewport={"width": width, "height": height})
    seen = box(window.page.locator("#looks .sentence-plot"))
    assert seen["y"] + seen["height"] < height


def test_one_line_says_what_is_set_and_opens_the_drawer(elsewhere: Opens) -> None:
    window = elsewhere(viewport={"width": 390, "height": 844})
    told, fields = (
        window.page.locator("#options > .summary-line"),
        window.page.locator("#options .set"),
    )
    expect(told).to_have_text("seeded weights · 1 layer × 4 heads · causal")
    expect(fields).to_be_hidden()
    told.focus()
    window.page.keyboard.press("Enter")
    expect(told).to_have_attribute("aria-expanded", "true")
    window.ask(lambda: window.field("heads").fill("1"))
    window.ask(lambda: window.field("Mask").select_option(label="none"))
    window.ask(lambda: window.field("Scale").first.select_option(label="none"))
    window.ask(lambda: window.field("Temperature").last.fill("2"))
    expect(told).to_have_text("seeded weights · 1 layer × 1 head · no mask · unscaled · T 2")
    window.page.keyboard.press("Escape")
    expect(fields).to_be_hidden()
    expect(told).to_be_focused()


def test_the_menu_of_what_is_seldom_changed_scrolls_down_and_not_sideways(
    elsewhere: Opens,
) -> None:
    window = elsewhere(viewport={"width": 390, "height": 844})
    window.page.locator("#options > .summary-line").click()
    window.page.locator(".more summary").click()
    panel = window.page.locator(".more .panel")
    expect(panel.locator("fieldset")).to_have_count(3)
    groups = panel.locator("fieldset").all()
    assert len({round(box(group)["x"]) for group in groups}) == 1
    wide, room = panel.evaluate("(panel) => [panel.scrollWidth, panel.clientWidth]")
    assert wide <= room


def test_the_lines_to_press_stand_under_the_sentence_where_all_is_one_column(
    elsewhere: Opens,
) -> None:
    window = elsewhere("/", viewport={"width": 390, "height": 844})
    lines = window.page.locator("#first")
    sentence = box(window.page.locator("#looks"))
    assert 0 <= box(lines)["y"] - sentence["y"] - sentence["height"] < 30
    assert box(lines.get_by_role("button", name="This head looks at"))["y"] < 844
    window.page.set_viewport_size({"width": 1440, "height": 900})
    until(window.page, lambda: box(lines)["x"] > 1000, "the lines head the second column")


def test_a_field_that_is_refused_opens_the_drawer(elsewhere: Opens) -> None:
    window = elsewhere(None, viewport={"width": 390, "height": 844})
    window.page.goto(f"{window.url}/?text=a%20b&num_heads=3")
    told = window.page.locator("#options > .summary-line")
    expect(told).to_have_attribute("aria-expanded", "true")
    expect(window.field("heads")).to_have_attribute("aria-invalid", "true")
    expect(window.field("heads")).to_be_visible()


def test_each_side_of_a_comparison_has_its_line(elsewhere: Opens) -> None:
    window = elsewhere(None, viewport={"width": 390, "height": 844})
    window.page.goto(f"{window.url}/compare?b.causal=false&b.temperature=2")
    for side, words in (("a", "causal"), ("b", "no mask · T 2")):
        told = window.page.locator(f"#{side} .options > .summary-line")
        expect(told).to_have_text(f"seeded weights · 1 layer × 4 heads · {words}")


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


@pytest.mark.parametrize("address", [SEEDED, "/compare?b.seed=1"])
def test_the_cell_that_is_tapped_stays_in_sight_above_its_sheet(
    elsewhere: Opens, address: str
) -> None:
    window = elsewhere(None, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = window.page
    page.goto(f"{window.url}{address}")
    canvas = page.locator('[data-stage="weights"] canvas[data-layer]').last
    canvas.wait_for()
    window.settle()
    canvas.evaluate("(it) => it.scrollIntoView({ block: 'end' })")
    page.touchscreen.tap(*middle(canvas, (11, 2), (12, 12)))
    expect(page).to_have_url(re.compile("cell=weights.11.2"))
    expect(window.inspector.locator("output").first).to_be_visible()
    cell, sheet = box(canvas.locator("xpath=..").locator(".pinned")), box(window.inspector)
    assert sheet["y"] < 844 - 200
    assert 0 <= cell["y"] <= sheet["y"] - cell["height"]


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
