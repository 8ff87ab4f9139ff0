"""The presentation: one stage at a time, large, led by arrows or by touch."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.hands import STAGES, Explore, address_has, address_lacks, fits

CONTROLS = (".top", ".ask", "#tabs", "#tokens", "#inspector", "#large .close", "#large .flag")


def shown(explore: Explore, stage: str) -> None:
    place = f"{STAGES.index(stage) + 1} / {len(STAGES)}"
    expect(explore.page.locator("#present .place")).to_have_text(place)
    expect(explore.page.locator("#large canvas[data-layer]")).to_be_visible()
    expect(explore.page).to_have_url(re.compile(rf"stage={stage}\b"))


def swipe(explore: Explore, start: int, end: int) -> None:
    """A finger over the picture."""
    session = explore.page.context.new_cdp_session(explore.page)
    for kind, x in (("touchStart", start), ("touchMove", (start + end) // 2), ("touchMove", end)):
        points = [{"x": x, "y": 500}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_p_presents_and_arrows_lead_from_stage_to_stage(explore: Explore) -> None:
    press = explore.page.keyboard.press
    press("p")
    shown(explore, "x")
    address_has(explore.page, "present=1")
    region = explore.page.get_by_role("region", name="Presentation")
    expect(region).to_contain_text("The animal didn't cross the street")
    for control in CONTROLS:
        expect(explore.page.locator(control)).to_be_hidden()
    for key, stage in (
        ("ArrowRight", "q"),
        ("PageDown", "k"),
        ("ArrowLeft", "q"),
        ("End", "output"),
        ("ArrowRight", "output"),
        ("Home", "x"),
    ):
        press(key)
        shown(explore, stage)
    press("Escape")
    expect(region).to_be_hidden()
    expect(explore.sentence).to_be_visible()
    address_lacks(explore.page, "present")


def test_escape_leads_back_to_what_was_large_before(explore: Explore) -> None:
    press, large = explore.page.keyboard.press, explore.page.locator("#large")
    explore.page.get_by_role("button", name="Enlarge weights").click()
    expect(large.locator("h2")).to_have_text("weights")
    for _ in range(2):  # the script of the presentation is fetched with the first
        press("p")
        shown(explore, "weights")
        press("End")
        shown(explore, "output")
        press("Escape")
        expect(explore.page.locator("#present")).to_be_hidden()
        expect(large.locator("h2")).to_have_text("weights")
        expect(explore.page).to_have_url(re.compile(r"stage=weights\b"))
    press("Escape")
    expect(large).to_be_hidden()
    press("p")
    shown(explore, "x")
    press("Escape")
    expect(large).to_be_hidden()


def test_a_p_in_the_sentence_is_a_letter(explore: Explore) -> None:
    explore.sentence.press_sequentially("p")
    expect(explore.page.locator("#present")).to_be_hidden()


def test_a_link_opens_it_and_its_type_is_large(window: Explore) -> None:
    window.page.goto(f"{window.url}/?present=1&stage=weights&text=The%20cat%20sat")
    shown(window, "weights")
    size = "(element) => parseFloat(getComputedStyle(element).fontSize)"
    assert window.page.locator("#present .sentence").evaluate(size) >= 24
    assert window.page.locator("#large h2").evaluate(size) >= 24
    numbers = window.page.locator("#large .cells")
    expect(numbers.locator("span")).to_have_count(9)
    assert numbers.evaluate(size) >= 24
    window.page.go_back()


def test_a_stage_of_heads_names_its_head(window: Explore) -> None:
    window.page.goto(f"{window.url}/?present=1&stage=weights&head=2")
    about = window.page.locator("#present .about")
    expect(about).to_have_text("L0 H2 Softmax: each row becomes shares that add up to 1.")
    window.page.keyboard.press("End")
    shown(window, "output")
    expect(about).not_to_contain_text("H2")


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


def test_the_stepper_is_presented_chapter_by_chapter(window: Explore) -> None:
    window.page.goto(f"{window.url}/?present=1&step=scores.100")
    told, heading = window.page.locator("#stepper"), window.page.locator("#stepper h2")
    expect(heading).to_have_text("q · k")
    expect(window.page.locator("#present .place")).to_have_text("2 / 10")
    for control in (".player", ".chapters", ".close"):
        expect(told.locator(control)).to_be_hidden()
    window.page.keyboard.press("ArrowRight")
    expect(heading).to_have_text("Scale")
    expect(window.page).to_have_url(re.compile(r"step=scaled_scores\.100"))
    window.page.keyboard.press("ArrowLeft")
    expect(heading).to_have_text("q · k")
