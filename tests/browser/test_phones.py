"""Small windows and fingers: what stands where, and what a touch does. See test_states.py."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.hands import STAGES, Explore, box, middle, until, written
from tests.browser.pixels import stage_cells

Opens = Callable[..., Explore]
PHONE: ViewportSize = {"width": 390, "height": 844}
SIDE: ViewportSize = {"width": 740, "height": 360}
SMALL: ViewportSize = {"width": 360, "height": 740}
SIZES: list[ViewportSize] = [SMALL, {"width": 720, "height": 450}]
# Chromium hands over the moves of a finger once a frame, before its callbacks.
FRAME = "new Promise((drawn) => { requestAnimationFrame(drawn); })"
SPACED = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { letter-spacing: 0.12em !important }");
  document.adoptedStyleSheets = [sheet];
}"""
# Numbers wider than their cells.
WIDER = """(cells) => cells.filter((cell) => {
  const words = document.createRange();
  words.selectNodeContents(cell);
  return words.getBoundingClientRect().width > cell.getBoundingClientRect().width;
}).map((cell) => cell.textContent)"""
TOUCHED: dict[str, object] = {"viewport": PHONE, "has_touch": True, "is_mobile": True}


def bottom(element: Locator) -> float:
    place = box(element)
    return place["y"] + place["height"]


def shows_the_sentence(window: Explore) -> None:
    """Waits, in each size, until the sentence with its arcs is seen without scrolling."""
    plot = window.page.locator("#looks .sentence-plot")
    for size in SIZES:
        window.page.set_viewport_size(size)
        until(window.page, lambda: bottom(plot) < size["height"], f"it is seen in {size}")  # noqa: B023


def shows_every_stage(window: Explore) -> None:
    """Each below the other, as wide as the window at the most."""
    bottoms = []
    for stage in STAGES:
        card = box(window.card(stage))
        assert card["x"] >= 0, stage
        assert card["x"] + card["width"] <= SMALL["width"], stage
        assert box(window.canvas(stage))["height"] > 60, stage
        bottoms.append(card["y"] + card["height"])
    assert bottoms == sorted(bottoms)


def reserves_no_room_for_a_line_about_the_next_word(window: Explore) -> None:
    """With random weights."""
    lines = window.page.get_by_role("region", name="Try it")
    expect(lines.get_by_role("button", name="Drop the head")).to_be_visible()
    last = lines.get_by_role("listitem").last
    until(window.page, lambda: 0 < bottom(lines) - bottom(last) < 40, "no room below the lines")


def test_a_phone_shows_the_sentence_under_one_line_that_opens_the_options(
    elsewhere: Opens,
) -> None:
    window = elsewhere(viewport=PHONE)
    page = window.page
    reserves_no_room_for_a_line_about_the_next_word(window)
    shows_the_sentence(window)
    page.set_viewport_size(PHONE)
    line, fields = window.summary, window.options.get_by_role("combobox", name="Model")
    expect(fields).to_be_hidden()
    line.focus()
    page.keyboard.press("Enter")
    expect(line).to_have_attribute("aria-expanded", "true")
    expect(fields).to_be_visible()
    window.more()
    panel = page.locator(".more .panel")
    groups = panel.get_by_role("group")
    expect(groups).to_have_count(3)
    assert len({round(box(group)["x"]) for group in groups.all()}) == 1
    wide, room = panel.evaluate("(panel) => [panel.scrollWidth, panel.clientWidth]")
    assert wide <= room
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    page.keyboard.press("Escape")
    expect(fields).to_be_hidden()
    expect(line).to_be_focused()
    page.set_viewport_size(SMALL)
    shows_every_stage(window)
    window.open("/?source=seeded&lang=zh")
    shows_the_sentence(window)


def test_a_phone_on_its_side_shows_the_arithmetic_beside_the_picture_and_below_the_scene(
    elsewhere: Opens,
) -> None:
    window = elsewhere("/?stage=weights&cell=weights.9.2", **{**TOUCHED, "viewport": SIDE})
    expect(window.value).to_be_visible()
    picture, numbers = box(window.large.get_by_role("grid")), box(window.inspector)
    assert picture["height"] > 150
    assert picture["x"] + picture["width"] <= numbers["x"]
    assert numbers["height"] > 300
    window.open("/?step=scores.100&cell=weights.9.2")
    expect(window.value).to_be_visible()
    for size in (SIDE, PHONE):
        window.page.set_viewport_size(size)
        numbers = box(window.inspector)
        assert numbers["y"] >= bottom(window.page.locator("#stepper .scene")), size


def test_the_lines_to_press_stand_under_the_sentence_where_all_is_one_column(
    elsewhere: Opens,
) -> None:
    window = elsewhere("/", viewport=PHONE)
    page = window.page
    lines = page.get_by_role("region", name="Try it")
    sentence = page.get_by_role("region", name="Where the sentence looks")
    until(page, lambda: 0 <= box(lines)["y"] - bottom(sentence) < 30, "the lines stand below it")
    assert box(lines.get_by_role("button", name="This head looks at"))["y"] < 844
    page.set_viewport_size({"width": 1440, "height": 900})
    until(page, lambda: box(lines)["x"] > 1000, "the lines head the second column")


class Finger:
    """One finger: it is put down, moved and lifted."""

    def __init__(self, page: Page) -> None:
        self.page, self.session = page, page.context.new_cdp_session(page)

    def send(self, kind: str, *points: tuple[float, float]) -> None:
        where = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(points)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": where})
        self.page.evaluate(FRAME)

    def down(self, point: tuple[float, float]) -> None:
        self.send("touchStart", point)

    def move(self, point: tuple[float, float]) -> None:
        self.send("touchMove", point)

    def up(self) -> None:
        self.send("touchEnd")


def sees_the_tapped_cell(window: Explore) -> None:
    """Taps a cell at the lower edge: it stays in sight above the sheet of its numbers."""
    page = window.page
    canvas = page.locator('[data-stage="weights"] canvas[data-layer]').last
    canvas.wait_for()
    window.settle()
    canvas.evaluate("(it) => it.scrollIntoView({ block: 'end' })")
    page.touchscreen.tap(*middle(canvas, (11, 2), (12, 12)))
    expect(page).to_have_url(re.compile("cell=weights.11.2"))
    expect(window.value.first).to_be_in_viewport()
    cell, sheet = box(canvas.locator("xpath=..").locator(".pinned")), box(window.inspector)
    assert sheet["y"] < PHONE["height"] - 200
    assert 0 <= cell["y"] <= sheet["y"] - cell["height"]


def test_a_finger_pins_a_cell_moves_over_the_cells_and_scrolls_the_page(elsewhere: Opens) -> None:
    window = elsewhere(**TOUCHED)
    page = window.page
    sees_the_tapped_cell(window)
    weights = stage_cells(window.answer(window.question()), "weights", 0, 0, 0)
    expect(window.value).to_have_text(written(weights[11, 2]))
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
    expect(window.value).to_have_count(0)
    window.canvas("scores").scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    x, y = window.point("scores", (6, 6), (12, 12))
    finger.down((x, y))
    for step in range(1, 9):
        finger.move((x, y - 20 * step))
    finger.up()
    until(page, lambda: page.evaluate("scrollY") > before + 40, "the page scrolls")


def test_a_tapped_cell_of_a_comparison_stays_in_sight(elsewhere: Opens) -> None:
    window = elsewhere(None, **TOUCHED)
    window.page.goto(f"{window.url}/compare?b.seed=1")
    sees_the_tapped_cell(window)


def test_numbers_in_cells_are_not_cut_by_the_letter_spacing_of_a_reader(elsewhere: Opens) -> None:
    """See WCAG 1.4.12."""
    window = elsewhere("/", viewport=PHONE)
    cells = window.page.locator("#pipeline .cells span")
    expect(cells.first).to_be_attached()
    window.page.evaluate(SPACED)
    cut = cells.evaluate_all(
        """(cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth
          && getComputedStyle(cell).overflowX !== "visible").map((cell) => cell.textContent)"""
    )
    assert cut == []


def test_numbers_stay_within_their_cells_in_wide_fonts(elsewhere: Opens) -> None:
    window = elsewhere(viewport={"width": 1024, "height": 768})
    cells = window.page.locator("#pipeline .cells span")
    expect(cells.filter(has_text="−14")).to_have_count(1)
    assert cells.evaluate_all(WIDER) == []


def test_names_beside_low_rows_are_clipped_only_at_their_ends(elsewhere: Opens) -> None:
    """In many fonts letters are higher than such a row."""
    rows = elsewhere("/", viewport=PHONE).page.locator('[data-stage="x"] .labels .row')
    expect(rows.first).to_be_attached()
    ways = rows.evaluate_all("(rows) => rows.map((row) => getComputedStyle(row).overflow)")
    assert set(ways) == {"clip visible"}


def test_two_fingers_zoom_the_page_on_a_chart_of_the_laboratory(elsewhere: Opens) -> None:
    window = elsewhere(None, **TOUCHED)
    page = window.page
    page.goto(f"{window.url}/?source=seeded&tab=lab")
    chart = page.locator("#panel-lab .plot-of").first
    chart.scroll_into_view_if_needed()
    place = box(chart)
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    finger = Finger(page)
    finger.send("touchStart", (x - 30, y), (x + 30, y))
    for apart in (40, 60, 80, 100):
        finger.send("touchMove", (x - apart, y), (x + apart, y))
    finger.send("touchEnd")
    until(page, lambda: page.evaluate("visualViewport.scale") > 1.2, "the page is larger")
