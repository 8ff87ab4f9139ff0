"""What the system of a reader asks for: more contrast, or colors of its own. See test_states.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.hands import Explore
from tests.browser.states import WEIGHTS

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[2]
CLARITY = """() => {
  const shown = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  const part = (hex, at) => parseInt(hex.trim().slice(at, at + 2), 16) / 255;
  const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = (hex) => [1, 3, 5].map((at) => linear(part(hex, at)))
    .reduce((sum, channel, i) => sum + channel * [0.2126, 0.7152, 0.0722][i], 0);
  const between = (a, b) => {
    const [low, high] = [light(a), light(b)].toSorted((p, q) => p - q);
    return (high + 0.05) / (low + 0.05);
  };
  return Object.fromEntries(["--ink", "--muted", "--line", "--strong-line", "--accent", "--bad"]
    .map((name) => [name, between(shown(name), shown("--surface"))]));
}"""


def test_the_language_chooses_a_font_and_no_colour() -> None:
    asks = re.compile(r":lang\(|\[(?:hreflang|lang|data-lang)\b")
    sheets = [path.read_text(encoding="utf-8") for path in ROOT.glob("static/css/*.css")]
    rules = [rule for text in sheets for rule in re.findall(r"([^{}]*)\{([^{}]*)\}", text)]
    assert len(rules) > 500
    chosen = {
        each.partition(":")[0].strip()
        for selector, declared in rules
        if asks.search(selector)
        for each in declared.split(";")
        if each.strip()
    }
    assert chosen <= {"--sans", "font-family"}


def test_a_reader_who_wants_more_contrast_gets_it_in_either_theme(
    new_page: Callable[..., Page], live_server: str
) -> None:
    page = new_page()
    page.goto(f"{live_server}/nowhere")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, contrast="no-preference")
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
        usual = page.evaluate(CLARITY)
        page.emulate_media(contrast="more")
        more = page.evaluate(CLARITY)
        assert min(more[name] for name in ("--ink", "--muted", "--accent", "--bad")) >= 7, theme
        assert min(more["--line"], more["--strong-line"]) >= 3, theme
        assert all(more[name] >= usual[name] for name in usual), theme


def test_forced_colors_keep_every_picture_and_frame_only_what_is_chosen(
    elsewhere: Callable[..., Explore],
) -> None:
    window = elsewhere(
        "/?cell=weights.9.2", color_scheme="dark", forced_colors="active", reduced_motion="reduce"
    )
    page = window.page
    expect(page.locator(WEIGHTS)).to_have_css("forced-color-adjust", "none")
    tabs = page.get_by_role("tablist", name="Ways to look")
    expect(tabs.get_by_role("tab", selected=True)).to_have_css("outline-style", "solid")
    expect(tabs.get_by_role("tab", selected=False).first).to_have_css("outline-style", "none")
    pinned = page.locator(".pinned").locator("visible=true").first
    paper = page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    expect(pinned).not_to_have_css("border-top-color", paper)
    expect(window.inspector.locator(".bars .bar").first).to_have_css("forced-color-adjust", "none")
    heads = page.get_by_role("group", name="Layer and head")
    expect(heads.get_by_role("button", pressed=True)).to_have_css("outline-style", "solid")
    window.tab("Lines").click()
    canvas = "rgb(0, 0, 0)"  # the system color of paper, in the dark
    expect(page.locator(".web li").first).to_have_css("border-top-color", canvas)
    other = page.get_by_role("navigation", name="Pages").get_by_role("link", name="Learn")
    expect(other).to_have_css("border-bottom-color", canvas)
