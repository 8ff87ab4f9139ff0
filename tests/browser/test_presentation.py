"""The presentation: one stage at a time, large, led by arrows or by touch."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import STAGES, Explore, address_has, address_lacks, fits

CONTROLS = (".top", ".ask", "#tabs", "#tokens", "#inspector", "#large .close", "#large .flag")

# Every label and number of the large stage, how large it is and whether something hides it.
WRITTEN = """() => [".labels .row", ".labels .col", ".axes span", ".cells span"]
  .flatMap((kind) => [...document.querySelectorAll(`#large ${kind}`)])
  .filter((one) => one.textContent)
  .map((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = one;
    return {
      text: one.textContent, top, bottom, size: parseFloat(getComputedStyle(one).fontSize),
      cut: scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1,
      covered: !over?.closest("#large"),
    };
  })"""


def shown(explore: Explore, stage: str) -> None:
    place = f"{STAGES.index(stage) + 1} / {len(STAGES)}"
    expect(explore.page.get_by_text(place, exact=True)).to_be_visible()
    expect(explore.large.locator("canvas[data-layer]")).to_be_visible()
    expect(explore.page).to_have_url(re.compile(rf"stage={stage}\b"))


def font_size(element: Locator) -> float:
    size: float = element.evaluate("(element) => parseFloat(getComputedStyle(element).fontSize)")
    return size


def swipe(explore: Explore, start: int, end: int) -> None:
    """A finger over the picture."""
    session = explore.page.context.new_cdp_session(explore.page)
    for kind, x in (("touchStart", start), ("touchMove", (start + end) // 2), ("touchMove", end)):
        points = [{"x": x, "y": 500}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_p_presents_and_arrows_lead_from_stage_to_stage(window: Explore) -> None:
    window.open("/?text=The%20cat%20sat&source=seeded")
    page, press = window.page, window.page.keyboard.press
    press("p")
    shown(window, "x")
    address_has(page, "present=1")
    region = page.get_by_role("region", name="Presentation")
    expect(region).to_contain_text("The cat sat")
    for control in CONTROLS:
        expect(page.locator(control)).to_be_hidden()
    for key, stage in (
        ("ArrowRight", "q"),
        ("PageDown", "k"),
        ("ArrowLeft", "q"),
        ("End", "output"),
        ("ArrowRight", "output"),
        ("Home", "x"),
    ):
        press(key)
        shown(window, stage)
    page.goto(f"{window.url}/?present=1&stage=weights&text=The%20cat%20sat")
    shown(window, "weights")
    numbers = window.large.locator(".cells")
    expect(numbers.locator("span")).to_have_count(9)
    for large in (region.locator(".sentence"), region.get_by_role("heading"), numbers):
        assert font_size(large) >= 24
    press("Escape")
    expect(region).to_be_hidden()
    press("Escape")  # the link opened the stage too
    expect(window.sentence).to_be_visible()
    address_lacks(page, "present", "stage")


def test_a_chapter_of_the_stepper_is_presented_without_its_controls(window: Explore) -> None:
    window.page.goto(f"{window.url}/?present=1&step=scores.100")
    steps = window.page.get_by_role("region", name="Step by step")
    expect(steps.get_by_role("heading", level=2)).to_have_text("q · k")
    for control in (".player", ".chapters", ".close"):
        expect(steps.locator(control)).to_be_hidden()


def test_touch_leads_on_and_back(elsewhere: Callable[..., Explore]) -> None:
    phone = {"width": 390, "height": 844}
    explore = elsewhere(None, viewport=phone, has_touch=True, is_mobile=True)
    explore.page.goto(f"{explore.url}/?present=1&stage=q")
    shown(explore, "q")
    explore.page.touchscreen.tap(300, 30)
    shown(explore, "k")
    explore.page.touchscreen.tap(40, 30)
    shown(explore, "q")
    swipe(explore, 300, 60)
    shown(explore, "k")
    swipe(explore, 60, 300)
    shown(explore, "q")
    fits(explore.page, 390)


@pytest.mark.parametrize(
    ("width", "height", "theme", "language"),
    [(1280, 720, "light", "en"), (1920, 1080, "dark", "zh"), (1440, 900, "light", "zh")],
)
def test_nothing_is_covered_or_cut_and_all_is_legible_from_the_back_of_a_room(
    elsewhere: Callable[..., Explore], width: int, height: int, theme: str, language: str
) -> None:
    viewport = {"width": width, "height": height}
    explore = elsewhere(None, viewport=viewport, color_scheme=theme)
    page = explore.page
    page.goto(f"{explore.url}/?present=1&stage=x&source=seeded&lang={language}")
    shown(explore, "x")
    for stage in STAGES[1:8]:
        page.keyboard.press("ArrowRight")
        shown(explore, stage)
        if stage not in {"q", "scores", "weights"}:
            continue
        title = page.locator("#present").get_by_role("heading")
        expect(title.get_by_role("math")).to_be_visible()
        name = title.evaluate("(title) => title.firstChild.textContent.trim()")
        expect(page.get_by_role("dialog", name=name, exact=True)).to_be_visible()
        expect(explore.large.locator(".cells span").first).to_be_visible()
        written = page.evaluate(WRITTEN)
        assert len(written) > 20
        assert [one for one in written if one["size"] < 0.022 * height] == []
        below = title.locator("xpath=..").bounding_box()
        assert below
        edge = below["y"] + below["height"]
        assert [one for one in written if one["top"] < edge or one["bottom"] > height] == []
        assert [one for one in written if one["cut"]] == []
        assert [one for one in written if one["covered"]] == []
