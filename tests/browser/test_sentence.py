"""Where the sentence, its arcs and its tokens stand in windows of many sizes."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.hands import SEEDED, Explore, box, until

# Where each arc of the token that is seen begins, in the window.
ENDS = """(all) => all.map((path) => {
  const { x, y } = path.getPointAtLength(0);
  const at = new DOMPoint(x, y).matrixTransform(path.getScreenCTM());
  return [at.x, at.y];
})"""
# Where each line of tokens begins, and how far apart the numbers under tokens are at least.
LINES = """(list) => {
  const items = [...list.children].map((item) => item.getBoundingClientRect());
  const starts = items.filter(({ top }, at) => at === 0 || top > items[at - 1].top + 2);
  const numbers = [...list.querySelectorAll("li > b")]
    .filter((number) => number.textContent && getComputedStyle(number).visibility === "visible")
    .map((number) => {
      const range = document.createRange();
      range.selectNodeContents(number);
      return range.getBoundingClientRect();
    });
  const gaps = numbers.slice(1).flatMap(({ left, top }, at) =>
    top === numbers[at].top ? [left - numbers[at].right] : []);
  const [count, gap] = [numbers.length, Math.min(...gaps, 99)];
  return { starts: starts.map(({ left }) => left), count, gap };
}"""
SIZES = [(1440, 900), (720, 450), (390, 844), (320, 640)]
OPENED = {1440, 390}  # a window of the next size is this one, made smaller


def words(name: str, count: int) -> str:
    return "%20".join(f"{name}{at}" for at in range(count))


def token(explore: Explore, at: int, axis: str = "query") -> Locator:
    return explore.page.locator(f'#looks .sentence-tokens.axis-{axis} [data-at="{at}"]')


def in_sight(page: Page, width: int, height: int) -> bool:
    """Whether the token that is seen stands in the window, with its arcs beginning over it."""
    seen = box(page.locator("#looks .sentence-tokens li.seen > span"))
    right, bottom = seen["x"] + seen["width"], seen["y"] + seen["height"]
    ends = page.locator("#looks .own path").evaluate_all(ENDS)
    reach = [seen["x"] - 1 <= x <= right + 1 and seen["y"] - 1 <= y <= bottom + 1 for x, y in ends]
    return bottom < height and right <= width and len(reach) > 0 and all(reach)


def test_the_sentence_is_seen_at_once_and_its_arcs_reach_their_tokens(
    window: Explore, subtests: pytest.Subtests
) -> None:
    page = window.page
    desk = page.viewport_size or {"width": 1440, "height": 900}
    for width, height in SIZES:
        with subtests.test(f"{width} x {height}"):
            page.set_viewport_size({"width": width, "height": height})
            if width in OPENED:
                window.open()
            until(page, lambda: in_sight(page, width, height), "arcs reach it")  # noqa: B023
    page.set_viewport_size(desk)


def test_pointing_at_cells_moves_nothing_once_the_caption_has_two_lines(window: Explore) -> None:
    page = window.page
    window.open(f"{SEEDED}&text=a%20{'W' * 70}")
    caption, cards = page.locator("#looks .seen-line"), page.locator("#pipeline")
    window.canvas("weights").scroll_into_view_if_needed()

    def point(row: int, says: re.Pattern[str]) -> tuple[float, float]:
        window.hover("weights", (row, 0), (2, 2))
        expect(caption).to_have_text(says)
        return box(caption)["height"], box(cards)["y"]

    with_two_lines = point(1, re.compile("WWW"))
    assert point(0, re.compile("^[^W]*$")) == with_two_lines


def test_lines_begin_at_one_place_and_numbers_under_pieces_stand_apart(window: Explore) -> None:
    page = window.page
    tired = "Моя бабушка купила хлеб unbelievably heterogeneous responsibilities"
    page.set_viewport_size({"width": 390, "height": 900})
    window.open(f"/?source=installed&name=echo&text={tired}&cell=weights.42.41")
    expect(window.head(0, 0)).to_be_visible()
    tokens = page.locator("#looks ol.axis-query")
    for width in (390, 720):
        page.set_viewport_size({"width": width, "height": 900})
        until(page, lambda: box(tokens)["width"] > width / 2, f"it fills {width}")  # noqa: B023
        until(page, lambda: tokens.evaluate(LINES)["count"], "numbers stand under tokens")
        found = tokens.evaluate(LINES)
        assert len(found["starts"]) > 1
        assert len(set(found["starts"])) == 1
        assert found["gap"] > 0
    page.set_viewport_size({"width": 1440, "height": 900})


def test_many_tokens_scroll_in_a_part_of_the_window(window: Explore) -> None:
    """And the token that is seen is among those in sight."""
    page = window.page
    desk = page.viewport_size or {"width": 1440, "height": 900}
    view = page.locator(".sentence-view")

    def is_seen() -> bool:
        own, around = box(view.locator(".seen")), box(view)
        below = own["y"] + own["height"] <= around["y"] + around["height"] + 20
        return around["y"] <= own["y"] and below

    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        window.open(f"{SEEDED}&text={words('word', 300)}&cell=weights.290.3")
        expect(view.locator(".seen")).to_have_text("word290")
        until(page, is_seen, "the token is in sight")
        assert box(view)["height"] <= 0.36 * height
    page.set_viewport_size(desk)


def test_a_hand_on_tokens_and_cards_moves_nothing_under_the_pointer(window: Explore) -> None:
    page = window.page
    window.open("/?text=die%20Katze&context=the%20cat%20sat")
    assert box(token(window, 0, "key"))["y"] > box(token(window, 1))["y"] + 60
    token(window, 1).hover()
    expect(page.locator("#looks .own path")).to_have_count(3)
    token(window, 1).click()
    expect(window.value).to_be_visible()

    window.open(f"/?text={words('w', 200)}&cell=weights.10.3")
    window.canvas("weights").scroll_into_view_if_needed()
    before = box(window.canvas("weights"))["y"]
    for row in (120, 180):  # the sentence above is written anew for each
        window.hover("weights", (row, 1), (200, 200))
        expect(window.card("weights").locator(".readout")).to_contain_text(f"w{row} → w1")
        expect(token(window, row)).to_have_class(re.compile("seen"))
        assert abs(box(window.canvas("weights"))["y"] - before) < 1.5
    expect(token(window, 10)).to_have_count(0)
