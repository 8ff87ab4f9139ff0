"""axe-core finds nothing against WCAG 2.2 AA.

Pages are checked in both languages and both themes. States of a page and what a press opens are
checked in English and light; `make test-full` checks them in the other three combinations too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.hands import PATIENCE, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
ONE = ("en", "light")
OTHERS = (("en", "dark"), ("zh", "light"), ("zh", "dark"))
IN_EACH = pytest.mark.parametrize("reader", [ONE, *OTHERS], ids="-".join, indirect=True)
FULL = [ONE, *(pytest.param(each, marks=pytest.mark.full) for each in OTHERS)]
IN_ONE = pytest.mark.parametrize(
    "reader", FULL, ids=["-".join(each) for each in (ONE, *OTHERS)], indirect=True
)
FAULTS = """async (runOnly) => {
  const found = await axe.run(document, { runOnly, preload: false, resultTypes: ["violations"] });
  return found.violations.flatMap(({ id, nodes }) =>
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
WEIGHTS = '[data-stage="weights"] canvas[data-layer]'
# A state of the Explore page, and what shows that it has come; the first of all is a page below.
STATES = {
    "cell=weights.9.2": "#inspector output",
    "stage=weights&cell=weights.9.2": "#large[open]",
    "stage=weights&table=true": "#large[open] table",
    "stage=scores&present=1": "body[data-present] #large[open]",
    "text=Die%20Katze&context=The%20cat&cell=k.1.2": "#inspector output",
    "text=Die%20Katze&context=The%20cat%0Aand": ".context .error:not(:empty)",
    "tab=heads&picked=key.1_2": "#panels .tile canvas",
    "tab=lines": "#panels canvas",
    "tab=map&cell=weights.9.2": "#panel-map canvas[data-map]",
    "tab=map&map=scores&table=true": "#panel-map td",
    "context_length=400&cell=weights.9.2": "#inspector .bars",  # more than comes as numbers
    "context_length=600&stage=scores": "#large .quantised:not(:empty)",
    "context_length=600&tab=heads": ".together .quantised:not(:empty)",
    "context_length=600&tab=lines": ".web-frame ~ .muted:not(:empty)",
    "tab=gradients&objective=output.9.3": "#panel-gradients [data-stage=w_o] canvas[data-layer]",
    "tab=heads&rollout=true&num_layers=3": ".together canvas[data-layer]",
    "tab=lab&factor=8": "#panel-lab circle",
    "tab=lab&table=true": "#panel-lab tbody td",
    "tab=lab&lab=precision&scale=200": "#panel-lab td.bad",
    "tab=lab&lab=costs": "#panel-lab circle",
    "tab=lab&lab=linear": "#panel-lab .linear-of td",
    "tab=parameters&matrix=w_qk&bias=true": "#panel-parameters .token-dot",
    "tab=parameters&table=true": "#panel-parameters .planes table",
    "tab=decode&decoded=3": "#panel-decode .rows-of canvas",
    "tab=decode&table=true": "#panel-decode .card.wide table",
    "step=scores.40": "#stepper .chip",
    "change=w_o": "#editor canvas",
    "change=heads": "#editor .droppable button",
    "change=x&text=a%20b&d_model=4&num_heads=1": "#editor input",
    "d_model=63": "body[data-status=failed]",
    "text=": "#notice strong",
    "text=the%20cat%0Aand%20a%20dog&breaks=true": ".line-breaks :checked",
    f"text={'cat%20' * 500}&d_model=8": ".find-token input",
}
ECHO = "text=Tom%20met%20Ann.%20Tom&source=installed&name=echo"
STATES |= {
    f"{ECHO}&layer=1&cell=weights.3.1&why=true": ".why table",
    f"{ECHO}&drop=0.1&after=1": "#predictions .likely s",
    f"{ECHO}&tab=heads&probe=true": ".found-heads table",
    f"{ECHO}&tab=worth": "#panel-worth table",
    f"{ECHO}&tab=decode": "#panel-decode .writing input",
}
# What shows of a state before what it asks for has come.
AWAITED = {
    ECHO: ("**/predictions*", "#predictions .likely"),
    "tab=lab&lab=precision": ("**/precision*", "#panel-lab .softmaxes .button"),
}
COMPARED = "/compare?a.text=a%20cat%20sat&b.text=a%20black%20cat%20sat&b.seed=1&cell=weights.1.0"
DIFFERENCE = '[data-stage="weights"] [data-of="difference"] canvas[data-layer]'
PAGES = {
    "/": WEIGHTS,
    COMPARED: DIFFERENCE,
    f"{COMPARED}&stage=weights": "#large[open] canvas[data-layer]",
    f"{COMPARED}&stage=weights&table=true&of=a": "#large[open] table",
    "/compare?b.text=": "#b .notice strong",
    "/learn": "h1",
    "/learn/asking": "h1",
    "/learn/twenty_lines": "h1",
    "/models": "h1",
    "/models/echo": "#spectra svg",
    "/api": "h1",
    "/embed": WEIGHTS,
    "/embed?stage=scores": "#large[open] canvas[data-layer]",
    "/nowhere": "h1",
}
DRAWER = "#options > .summary-line"
MORE = f"{DRAWER} then .more summary"
# What is changed before a change can be shown.
CHANGED = (
    f"{MORE} then .more .panel [type=checkbox] then .more summary"
    " then #change > button:nth-child(4)"
)
# What a press opens: where, by what, and what shows then.
OPENED = {
    "help": ("/", "[data-help]", "#help[open]"),
    "help of compare": (COMPARED, "[data-help]", "#help[open]"),
    "share": ("/", "#share [data-take]", "#takeaway[open]"),
    "share of a stage": ("/", "#pipeline [data-take=weights]", "#takeaway[open]"),
    "options": ("/", DRAWER, "#options > .drawer select"),
    "more": ("/", MORE, ".more .panel"),
    "examples": ("/", "#examples summary", "#examples .panel"),
    "step by step": ("/", "#play button:nth-child(1)", "#stepper .scene"),
    "show change": ("/?text=a%20b", CHANGED, ".since p:not(:empty)"),
    "change of heads": (
        "/?text=a%20b&cell=weights.1.0",
        f"{CHANGED} then #tab-heads",
        ".together.change canvas[data-head]",
    ),
    "change of a large stage": (
        "/?text=a%20b&stage=weights&table=true",
        CHANGED,
        "#large .change table",
    ),
    "presentation": (
        "/",
        "#show",
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


Theme = Literal["light", "dark"]


class Reader:
    """A window of somebody who reads a language in a theme; `opens` waits for what is seen."""

    def __init__(self, browser: Browser, language: str, theme: Theme, url: str) -> None:
        self.language, self.theme, self.url = language, theme, url
        # The policy is passed over for the checker's own script alone.
        self.page = browser.new_page(
            viewport={"width": 1440, "height": 900},
            color_scheme=theme,
            bypass_csp=True,
            reduced_motion="reduce",
        )
        self.page.set_default_timeout(PATIENCE * 1000)

    def opens(self, path: str, sign: str) -> None:
        address = f"{self.url}{path}{'&' if '?' in path else '?'}lang={self.language}"
        self.page.goto(address, wait_until="commit")
        expect(self.page.locator(sign).first).to_be_visible()
        expect(self.page.locator("html")).to_have_attribute("data-theme", self.theme)

    def faults(self) -> list[str]:
        self.page.add_script_tag(path=AXE)
        found: list[str] = self.page.evaluate(FAULTS, {"type": "tag", "values": RULES})
        return found


@pytest.fixture(scope="module")
def reader(request: pytest.FixtureRequest, browser: Browser, live_server: str) -> Iterator[Reader]:
    language, theme = request.param
    one = Reader(browser, language, theme, live_server)
    yield one
    one.page.close()


@IN_EACH
@pytest.mark.parametrize("path", PAGES)
def test_no_page_has_a_fault(reader: Reader, path: str) -> None:
    reader.opens(path, PAGES[path])
    assert reader.faults() == []


@IN_ONE
@pytest.mark.parametrize("state", STATES)
def test_no_state_of_explore_has_a_fault(reader: Reader, state: str) -> None:
    reader.opens(f"/?{state}", STATES[state])
    assert reader.faults() == []


@IN_ONE
@pytest.mark.parametrize("state", AWAITED)
def test_nothing_that_waits_for_its_numbers_has_a_fault(reader: Reader, state: str) -> None:
    asked, sign = AWAITED[state]
    held: list[Route] = []
    reader.page.route(asked, lambda route: held.append(route))
    reader.page.goto(f"{reader.url}/?{state}&lang={reader.language}", wait_until="commit")
    reader.page.locator(sign).wait_for(state="attached")
    until(reader.page, lambda: held, f"{asked} is asked for")
    assert reader.faults() == []
    assert reader.page.locator('[aria-label=""]').count() == 0
    reader.page.unroute_all(behavior="ignoreErrors")


@IN_ONE
@pytest.mark.parametrize("name", OPENED)
def test_nothing_that_a_press_opens_has_a_fault(reader: Reader, name: str) -> None:
    path, door, sign = OPENED[name]
    reader.opens(path, DIFFERENCE if path.startswith("/compare") else WEIGHTS)
    for each in door.split(" then "):
        reader.page.locator(each).first.click()
    expect(reader.page.locator(sign).first).to_be_visible()
    assert reader.faults() == []


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
    picture = page.locator(WEIGHTS)
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
