"""Two languages, two themes, any width: the same page."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.hands import STAGES, Explore, box, until
from tests.browser.pixels import stage_cells

Opens = Callable[..., Explore]
PHONE = {"width": 390, "height": 844}
TABLET = {"width": 1024, "height": 768}
HAN = re.compile(r"[\u4e00-\u9fff]")
TEXT_LEFT = """() => {
  const skipped = "script, style, textarea, noscript, [lang=en], math, .chips, .labels";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!parent.closest(skipped) && parent.checkVisibility()) texts.push(walker.currentNode.data);
  }
  return texts;
}"""


def brightness(explore: Explore) -> float:
    """Of the page itself, in its lower left corner: 0 to 255."""
    photo = explore.photograph(explore.page.locator("body"))
    return float(photo[-3:, :3].mean())


def overflow(explore: Explore) -> int:
    """How far the page can be scrolled sideways, in pixels."""
    width = "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
    return explore.page.evaluate(width)


def test_a_chinese_reader_gets_a_chinese_page(elsewhere: Opens) -> None:
    window = elsewhere(locale="zh-CN")
    expect(window.page.locator("html")).to_have_attribute("lang", "zh-CN")
    assert HAN.search(window.page.title())
    expect(window.page.get_by_role("textbox", name="句子")).to_be_visible()
    texts = [text.strip() for text in window.page.evaluate(TEXT_LEFT)]
    english = [t for t in texts if re.search(r"\b(the|of|layer|head|token|key|query)\b", t)]
    assert [t for t in english if not HAN.search(t) and len(t.split()) > 2] == []
    window.shows(window.question(), ["weights"])


def test_a_refusal_reaches_a_chinese_reader_in_chinese(elsewhere: Opens) -> None:
    window = elsewhere("/?lang=zh&source=seeded")
    window.drawer()
    heads = window.page.locator("label", has_text="d_model").get_by_role("spinbutton")
    heads.fill("63")
    expect(window.page.get_by_role("alert").filter(has_text="63")).to_have_text(HAN)


def test_the_language_is_switched_without_losing_the_state(explore: Explore) -> None:
    body = explore.ask(lambda: explore.field("seed").fill("6"))
    reply = explore.shows(body)
    n = reply["shape"]["n"]
    explore.click("weights", (5, 2), (n, n))
    value = explore.inspector.locator("output")
    told = value.text_content() or ""
    explore.page.get_by_role("link", name="中文").click()
    expect(explore.page.locator("html")).to_have_attribute("lang", "zh-CN")
    expect(value).to_have_text(told)
    explore.shows(body)
    expect(explore.inspector).to_contain_text(HAN)
    explore.page.get_by_role("link", name="EN").click()
    expect(explore.page.locator("html")).to_have_attribute("lang", "en")
    expect(explore.sentence).to_be_visible()
    expect(value).to_have_text(told)


def test_a_dark_system_gets_a_dark_page_with_its_own_colours(elsewhere: Opens) -> None:
    window = elsewhere(color_scheme="dark")
    assert brightness(window) < 70
    window.shows(window.question(), ["x", "weights"], theme="dark")
    window.page.emulate_media(color_scheme="light")
    window.shows(window.question(), ["x", "weights"])
    assert brightness(window) > 200


def test_the_theme_switch_goes_dark_and_is_remembered(elsewhere: Opens) -> None:
    window = elsewhere(color_scheme="light")
    switch = window.page.get_by_role("button", name=re.compile("^Theme"))
    for _ in range(3):
        switch.click()
        if "dark" in (switch.get_attribute("aria-label") or ""):
            break
    window.shows(window.question(), ["weights"], theme="dark")
    window.page.reload()
    window.canvas("weights").wait_for()
    window.shows(window.question(), ["weights"], theme="dark")
    assert brightness(window) < 70


@pytest.mark.parametrize("viewport", [PHONE, TABLET], ids=["phone", "tablet"])
def test_a_narrow_window_never_scrolls_sideways(elsewhere: Opens, viewport: dict[str, int]) -> None:
    window = elsewhere(viewport=viewport)
    body = window.question()
    reply = window.shows(body, ["scores", "weights"])
    assert overflow(window) <= 0
    cells = stage_cells(reply, "weights", 0, 0, 0)
    window.click("weights", (5, 2), cells.shape)
    expect(window.inspector.locator("output")).to_be_visible()
    assert overflow(window) <= 0
    window.more()
    assert overflow(window) <= 0, "the menu is too wide"
    window.page.keyboard.press("Escape")
    for text in (
        "Donaudampfschifffahrtsgesellschaftskapitän " * 3,
        "大熊猫的主要食物是什么？\nhow",
    ):
        body = window.ask(lambda: window.sentence.fill(text))  # noqa: B023
        window.shows(body)
        assert overflow(window) <= 0, text


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [390, 320])
def test_nothing_to_choose_widens_a_phone(elsewhere: Opens, lang: str, width: int) -> None:
    window = elsewhere(f"/?lang={lang}", viewport={"width": width, "height": 740})
    assert overflow(window) <= 0
    window.drawer()
    window.page.locator("#options select").first.select_option("uploaded")
    expect(window.page.locator("#notice")).not_to_be_empty()
    assert overflow(window) <= 0
    window.page.goto(f"{window.url}/?lang={lang}&tokenizer={'a' * 200}")
    expect(window.page.locator("#notice")).not_to_be_empty()
    assert overflow(window) <= 0


def test_a_phone_shows_every_stage_below_the_other(elsewhere: Opens) -> None:
    window = elsewhere(viewport={"width": 360, "height": 740}, has_touch=True)
    bottoms = []
    for stage in STAGES:
        card = box(window.card(stage))
        assert card["x"] >= 0, stage
        assert card["x"] + card["width"] <= 360, stage
        assert box(window.canvas(stage))["height"] > 60, stage
        bottoms.append(card["y"] + card["height"])
    assert bottoms == sorted(bottoms)
    n = window.answer(window.question())["shape"]["n"]
    window.canvas("weights").scroll_into_view_if_needed()
    window.page.touchscreen.tap(*window.point("weights", (5, 2), (n, n)))
    expect(window.inspector.locator("output")).to_be_in_viewport()


def test_the_whole_way_is_seen_at_a_glance(explore: Explore) -> None:
    # Below the sentence: all of it fits into one window.
    top = box(explore.page.locator("#pipeline"))["y"]
    assert box(explore.page.locator("#pipeline"))["height"] <= 900
    n = explore.answer(explore.question())["shape"]["n"]
    for stage in STAGES:
        picture = box(explore.canvas(stage))
        assert picture["y"] - top + picture["height"] <= 900, stage
    explore.click("weights", (9, 2), (n, n))
    expect(explore.inspector.locator("output")).to_be_visible()
    inspector = box(explore.inspector)
    assert inspector["y"] + inspector["height"] <= 900


def test_another_size_of_window_paints_the_picture_anew(elsewhere: Opens) -> None:
    window = elsewhere(viewport=TABLET)
    before = box(window.canvas("x"))
    window.page.set_viewport_size({"width": 1600, "height": 1000})
    until(window.page, lambda: box(window.canvas("x")) != before, "the picture grows")
    window.shows(window.question(), ["x", "weights"])


def test_who_wants_less_motion_gets_none(elsewhere: Opens) -> None:
    window = elsewhere(reduced_motion="reduce")
    moving = """() => [...document.querySelectorAll("*")].filter((element) => {
      const { transitionDuration, animationName } = getComputedStyle(element);
      return animationName !== "none" || !/^0s(, 0s)*$/.test(transitionDuration);
    }).length"""
    assert window.page.evaluate(moving) == 0
    window.hover("weights", (5, 2), (12, 12))
    assert window.page.evaluate("document.getAnimations().length") == 0


def test_a_dense_screen_gets_a_pixel_for_each_of_its_own(elsewhere: Opens) -> None:
    window = elsewhere(device_scale_factor=2)
    canvas = window.canvas("weights")
    expect(canvas).to_have_js_property("width", round(2 * box(canvas)["width"]))
    window.shows(window.question(), ["weights"])
    assert len(np.unique(window.seen("x", 12, 64).reshape(-1, 4), axis=0)) > 50


@pytest.mark.parametrize(("lang", "latin_first"), [("en", True), ("zh", False)])
def test_text_is_set_in_a_font_of_its_language(
    elsewhere: Opens, lang: str, latin_first: bool
) -> None:
    window = elsewhere(None)
    window.page.goto(f"{window.url}/learn?lang={lang}")
    fonts = window.page.evaluate("getComputedStyle(document.body).fontFamily")
    assert (fonts.index("DejaVu Sans") < fonts.index("WenQuanYi")) is latin_first
