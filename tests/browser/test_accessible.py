"""axe-core finds nothing against WCAG 2.2 AA: on every page, in both languages and both themes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hands import PATIENCE

AXE = Path(__file__).resolve().parents[2] / "node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
COLOURS = ["color-contrast", "link-in-text-block"]
FAULTS = """async (runOnly) => {
  const { violations } = await axe.run(document, { runOnly, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`));
}"""
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
# A state of the Explore page, and what shows that it has come.
STATES = {
    "": '[data-stage="weights"] canvas[data-layer]',
    "cell=weights.9.2": "#inspector output",
    "stage=weights&cell=weights.9.2": "#large[open]",
    "stage=weights&table=true": "#large[open] table",
    "stage=scores&present=1": "body[data-present] #large[open]",
    "text=Die%20Katze&context=The%20cat&cell=k.1.2": "#inspector output",
    "text=Die%20Katze&context=The%20cat%0Aand": ".context .error:not(:empty)",
    "tab=heads&picked=key.1_2": "#panels .tile canvas",
    "tab=lines": "#panels canvas",
    "tab=gradients&objective=output.9.3": "#panel-gradients [data-stage=w_o] canvas[data-layer]",
    "tab=heads&rollout=true&num_layers=3": ".together canvas[data-layer]",
    "tab=lab&factor=8": "#panel-lab circle",
    "tab=lab&table=true": "#panel-lab tbody td",
    "tab=lab&lab=precision&scale=200": "#panel-lab td.bad",
    "tab=weights&matrix=w_qk&bias=true": "#panel-weights .token-dot",
    "tab=weights&table=true": "#panel-weights .planes table",
    "tab=decode&decoded=3": "#panel-decode .rows-of canvas",
    "tab=decode&table=true": "#panel-decode .card.wide table",
    "step=scores.40": "#stepper .chip",
    "change=w_o": "#editor canvas",
    "change=heads": "#editor .droppable button",
    "change=x&text=a%20b&d_model=4&num_heads=1": "#editor input",
    "d_model=63": "body[data-status=failed]",
    "text=": "#notice strong",
}
COMPARED = "/compare?a.text=a%20cat%20sat&b.text=a%20black%20cat%20sat&b.seed=1&cell=weights.1.0"
DIFFERENCE = '[data-stage="weights"] [data-of="difference"] canvas[data-layer]'
PAGES = {
    "/": STATES[""],
    COMPARED: DIFFERENCE,
    f"{COMPARED}&stage=weights": "#large[open] canvas[data-layer]",
    f"{COMPARED}&stage=weights&table=true&of=a": "#large[open] table",
    "/compare?b.text=": "#b .notice strong",
    "/learn": "h1",
    "/learn/asking": "h1",
    "/api": "h1",
    "/embed": STATES[""],
    "/embed?stage=scores": "#large[open] canvas[data-layer]",
    "/nowhere": "h1",
}
# What a press opens: where, by what, and what shows then.
OPENED = {
    "help": ("/", "[data-help]", "#help[open]"),
    "help of compare": (COMPARED, "[data-help]", "#help[open]"),
    "share": ("/", "#share [data-take]", "#takeaway[open]"),
    "share of a stage": ("/", "#pipeline [data-take=weights]", "#takeaway[open]"),
    "more": ("/", ".more summary", ".more .panel"),
    "examples": ("/", "#examples summary", "#examples .panel"),
    "step by step": ("/", "#play button:nth-child(1)", "#stepper .chip"),
    "show change": ("/?text=a%20b", "#change > button:nth-child(4)", ".since p:not(:empty)"),
    "change of heads": (
        "/?text=a%20b&cell=weights.1.0",
        "#change > button:nth-child(4) then #tab-heads",
        ".together.change canvas[data-head]",
    ),
    "change of a large stage": (
        "/?text=a%20b&stage=weights&table=true",
        "#change > button:nth-child(4)",
        "#large .change table",
    ),
    "presentation": (
        "/",
        "#play button:nth-child(2)",
        "body[data-present] #large[open]",
    ),
}
Visits = Callable[..., Page]


@pytest.fixture
def visit(new_page: Callable[..., Page]) -> Visits:
    """A window whose policy lets a test, and nobody else, add a script."""

    def open_page(theme: str, **options: object) -> Page:
        size = {"width": 1440, "height": 900}
        page = new_page(
            viewport=size, color_scheme=theme, bypass_csp=True, reduced_motion="reduce", **options
        )
        page.set_default_timeout(PATIENCE * 1000)
        return page

    return open_page


def faults(page: Page, address: str, sign: str, act: Callable[[Page], Any] | None = None) -> Any:
    """In the light theme by every rule; in the dark one, which changes colours, by theirs."""
    page.emulate_media(color_scheme="light")
    page.goto(address, wait_until="commit")
    expect(page.locator(sign).first).to_be_visible()
    if act:
        act(page)
    page.add_script_tag(path=AXE)
    told = page.evaluate(FAULTS, {"type": "tag", "values": RULES})
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    return told + page.evaluate(FAULTS, {"type": "rule", "values": COLOURS})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_page_has_a_fault(visit: Visits, live_server: str, language: str) -> None:
    page = visit("light")
    found = {}
    for path, sign in PAGES.items():
        address = f"{live_server}{path}{'&' if '?' in path else '?'}lang={language}"
        found[path] = faults(page, address, sign)
    assert {path: told for path, told in found.items() if told} == {}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_state_of_explore_has_a_fault(visit: Visits, live_server: str, language: str) -> None:
    page = visit("light")
    found = {
        state: faults(page, f"{live_server}/?lang={language}&{state}", sign)
        for state, sign in STATES.items()
    }
    assert {state: told for state, told in found.items() if told} == {}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_that_a_press_opens_has_a_fault(
    visit: Visits, live_server: str, language: str
) -> None:
    page = visit("light")
    found = {}
    for name, (path, door, sign) in OPENED.items():
        address = f"{live_server}{path}{'&' if '?' in path else '?'}lang={language}"
        drawn = DIFFERENCE if path.startswith("/compare") else STATES[""]

        def press(page: Page, door: str = door, sign: str = sign) -> None:
            for each in door.split(" then "):
                page.locator(each).first.click()
            expect(page.locator(sign).first).to_be_visible()

        found[name] = faults(page, address, drawn, press)
    assert {name: told for name, told in found.items() if told} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_who_wants_more_contrast_gets_it(visit: Visits, live_server: str, theme: str) -> None:
    page = visit(theme, contrast="no-preference")
    page.goto(f"{live_server}/api")
    usual = page.evaluate(CLARITY)
    page.emulate_media(contrast="more")
    more = page.evaluate(CLARITY)
    assert min(more[name] for name in ("--ink", "--muted", "--accent", "--bad")) >= 7
    assert min(more["--line"], more["--strong-line"]) >= 3
    assert all(more[name] >= usual[name] for name in usual)


def test_forced_colours_keep_every_picture_and_show_what_is_chosen(
    visit: Visits, live_server: str
) -> None:
    page = visit("dark", forced_colors="active")
    page.goto(f"{live_server}/?cell=weights.9.2")
    picture = page.locator(STATES[""])
    expect(picture).to_have_css("forced-color-adjust", "none")
    tabs = page.locator("#tabs").get_by_role("tab")
    expect(tabs.and_(page.locator("[aria-selected=true]"))).to_have_css("outline-style", "solid")
    expect(tabs.and_(page.locator("[aria-selected=false]")).first).to_have_css(
        "outline-style", "none"
    )
    pinned = page.locator(".pinned").locator("visible=true").first
    paper = page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    expect(pinned).not_to_have_css("border-top-color", paper)
    expect(page.locator("#inspector .bars .bar").first).to_have_css("forced-color-adjust", "none")
    chosen = page.locator("#heads [aria-pressed=true]")
    expect(chosen).to_have_css("outline-style", "solid")


def test_forced_colours_draw_no_frames_that_are_not_there(visit: Visits, live_server: str) -> None:
    page = visit("dark", forced_colors="active")
    page.goto(f"{live_server}/?tab=lines")
    paper = "rgb(0, 0, 0)"  # Canvas, in the dark
    expect(page.locator(".web li").first).to_have_css("border-top-color", paper)
    others = page.locator(".top nav a:not([aria-current])")
    expect(others.first).to_have_css("border-bottom-color", paper)
