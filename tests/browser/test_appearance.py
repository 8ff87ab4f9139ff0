"""Two themes, the font of a language, and any width: the same page."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from playwright.sync_api import Route, ViewportSize, expect

from tests.browser.hands import STAGES, Explore, box, until
from tests.browser.pixels import stage_cells

Opens = Callable[..., Explore]
PHONE: ViewportSize = {"width": 390, "height": 844}
TABLET: ViewportSize = {"width": 1024, "height": 768}
NARROW: ViewportSize = {"width": 320, "height": 740}
MOVING = """() => [...document.querySelectorAll("*")].filter((element) => {
  const { transitionDuration, animationName } = getComputedStyle(element);
  return animationName !== "none" || !/^0s(, 0s)*$/.test(transitionDuration);
}).length"""


def brightness(explore: Explore) -> float:
    """Of the page itself, under a heading: 0 to 255."""
    heading = explore.page.get_by_role("heading", name="How it was computed")
    photo = explore.photograph(heading)
    return float(photo[-3:, :3].mean())


def fits(explore: Explore, *sizes: ViewportSize) -> None:
    """The page cannot be scrolled sideways in windows of these sizes."""
    too_wide = "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
    for size in sizes:
        explore.page.set_viewport_size(size)
        until(explore.page, lambda: explore.page.evaluate(too_wide) <= 0, f"it fits {size}")


def test_the_page_is_dark_in_a_dark_system_or_by_its_switch_which_is_remembered(
    elsewhere: Opens,
) -> None:
    window = elsewhere(color_scheme="dark")
    page = window.page
    until(page, lambda: brightness(window) < 70, "the page is dark")
    window.shows(window.question(), theme="dark")
    page.emulate_media(color_scheme="light")
    window.shows(window.question())
    until(page, lambda: brightness(window) > 200, "the page is light")
    switch = page.get_by_role("button", name=re.compile("^Theme"))
    for name in ("light", "dark"):
        switch.click()
        expect(switch).to_have_accessible_name(re.compile(name))
    until(page, lambda: brightness(window) < 70, "the page is dark")
    page.reload()
    window.canvas("weights").wait_for()
    window.shows(window.question(), theme="dark")
    until(page, lambda: brightness(window) < 70, "the page is dark")


def test_the_theme_can_be_switched_before_the_scripts_of_the_page(elsewhere: Opens) -> None:
    window = elsewhere(None)
    page = window.page
    held: list[Route] = []
    page.route("**/joined/explore.js", lambda route: held.append(route))
    page.goto(window.url, wait_until="commit")
    switch = page.get_by_role("button", name=re.compile("^Theme"))
    switch.click()
    expect(switch).to_have_accessible_name(re.compile("light"))
    until(page, lambda: held, "the script of the page is fetched")
    held[0].continue_()
    window.settle()
    expect(switch).to_have_accessible_name(re.compile("light"))
    switch.click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_narrow_window_never_scrolls_sideways(elsewhere: Opens) -> None:
    window = elsewhere(viewport=PHONE)
    reply = window.shows(window.question(), ["scores", "weights"])
    fits(window, TABLET, PHONE)
    cells = stage_cells(reply, "weights", 0, 0, 0)
    window.click("weights", (5, 2), cells.shape)
    expect(window.value).to_be_visible()
    fits(window, PHONE, TABLET)
    window.more()
    fits(window, TABLET, PHONE)  # with the menu
    window.page.keyboard.press("Escape")
    for text in (
        "Donaudampfschifffahrtsgesellschaftskapitän " * 3,
        "大熊猫的主要食物是什么？\nhow",
    ):
        window.shows(window.ask(lambda: window.sentence.fill(text)))  # noqa: B023
        fits(window, TABLET, PHONE)


def test_nothing_to_choose_widens_a_phone(elsewhere: Opens) -> None:
    window = elsewhere(None, viewport=NARROW)
    notice = window.page.locator("#notice")
    for lang in ("en", "zh"):
        window.page.goto(f"{window.url}/?lang={lang}&tokenizer={'a' * 200}")
        expect(notice).not_to_be_empty()
        window.settle()
        fits(window, NARROW, PHONE)
        refused = notice.text_content() or ""
        window.drawer()
        window.options.get_by_role("combobox").first.select_option("uploaded")
        expect(notice).not_to_have_text(refused)
        expect(notice).not_to_be_empty()
        fits(window, PHONE, NARROW)


def test_the_whole_way_is_seen_at_a_glance_and_grows_with_the_window(explore: Explore) -> None:
    # Below the sentence: all of it fits into one window.
    way = box(explore.panel("Stages"))
    top = way["y"]
    assert way["height"] <= 900
    n = explore.answer(explore.question())["shape"]["n"]
    for stage in STAGES:
        picture = box(explore.canvas(stage))
        assert picture["y"] - top + picture["height"] <= 900, stage
    explore.click("weights", (9, 2), (n, n))
    expect(explore.value).to_be_visible()
    inspector = box(explore.inspector)
    assert inspector["y"] + inspector["height"] <= 900
    before = box(explore.canvas("x"))
    explore.page.set_viewport_size({"width": 1600, "height": 1000})
    until(explore.page, lambda: box(explore.canvas("x")) != before, "the picture grows")
    explore.shows(explore.question(), ["x", "weights"])


def test_a_dense_screen_gets_all_its_pixels_and_less_motion_means_none(elsewhere: Opens) -> None:
    window = elsewhere(device_scale_factor=2, reduced_motion="reduce")
    canvas = window.canvas("weights")
    expect(canvas).to_have_js_property("width", round(2 * box(canvas)["width"]))
    window.shows(window.question(), ["weights"])
    assert len(np.unique(window.seen("x", 12, 64).reshape(-1, 4), axis=0)) > 50
    assert window.page.evaluate(MOVING) == 0
    window.hover("weights", (5, 2), (12, 12))
    assert window.page.evaluate("document.getAnimations().length") == 0


def test_text_is_set_in_a_font_of_the_language_that_is_chosen(window: Explore) -> None:
    page = window.page
    page.goto(f"{window.url}/learn?lang=en")
    for lang, link, is_latin in (("en", "EN", True), ("zh-CN", "中文", False)):
        page.get_by_role("link", name=link, exact=True).click()
        expect(page.locator("html")).to_have_attribute("lang", lang)
        fonts = page.evaluate("getComputedStyle(document.body).fontFamily")
        assert (fonts.index("DejaVu Sans") < fonts.index("WenQuanYi")) is is_latin
