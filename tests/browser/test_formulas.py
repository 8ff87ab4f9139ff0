"""No formula is cut off or written over, at any width, in any font, whatever is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser import fonts
from tests.chromium import FLAGS, find_chromium

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

WIDTHS = (1440, 1280, 1240, 1024, 390)
QUESTIONS = {
    "default": "",
    "layers": "num_layers=4&block=pre_norm&mlp=true",
    "context": "context=The%20cat%20sat",
    "rotary": "positions=rotary",
    "alibi": "positions=alibi",
    "rotary layers": "positions=rotary&num_layers=4&block=pre_norm&mlp=true",
}
TABS = {"stages": "#pipeline", "gradients": "#panel-gradients"}
# What a formula loses to a box that hides it, and what it is written over.
TROUBLES = """(root, moving) => {
  const box = (element) => element.getBoundingClientRect();
  const overflow = (element) => getComputedStyle(element).overflowX;
  const hides = (element) => overflow(element) !== "visible";
  const seen = [...root.querySelectorAll("math")].filter((math) => math.checkVisibility());
  return seen.flatMap((math) => {
    const own = box(math);
    const card = math.closest(".card, section");
    const name = `${card?.dataset.stage ?? ""} ${math.textContent}`;
    let holder = math.parentElement;
    while (holder !== card && !hides(holder)) holder = holder.parentElement;
    const edge = box(holder);
    const beyond = own.left < edge.left - 1 || own.right > edge.right + 1;
    const cut = beyond && !(moving && overflow(holder) === "auto");
    const others = [...card.querySelectorAll(":scope > header > :is(h3, .enlarge), .shape > span")];
    const under = others.filter((other) => other.checkVisibility()).find((other) => {
      const its = box(other);
      const [x, y] = [Math.min(own.right, its.right) - Math.max(own.left, its.left),
        Math.min(own.bottom, its.bottom) - Math.max(own.top, its.top)];
      return x > 1 && y > 8;
    });
    const told = [cut && `${name}: cut off`, under && `${name}: over ${under.textContent}`];
    return told.filter(Boolean);
  });
}"""

# What the button that saves a card's picture lies over, and how wide its formula is.
COVERED = """(card) => {
  const box = (element) => element.getBoundingClientRect();
  const take = box(card.querySelector(".take"));
  const parts = "math, h3, .enlarge, .shape > span, .plot, .labels span, .axes span, .legend > *";
  const seen = [...card.querySelectorAll(parts)].filter((part) => part.checkVisibility());
  const under = seen.filter((part) => {
    const its = box(part);
    return Math.min(take.right, its.right) - Math.max(take.left, its.left) > 1
      && Math.min(take.bottom, its.bottom) - Math.max(take.top, its.top) > 1;
  });
  return under.map((part) => `${card.dataset.stage}: ${part.className} ${part.textContent}`);
}"""
ROOM = """(card) => [...card.querySelectorAll("math, .formula")].map(
  (one) => one.getBoundingClientRect().width)"""

# Wider than any font we know of.
WIDE = "math { font-size: 1.25em } .head { letter-spacing: 0.04em }"
FAMILIES = {fonts.DEJAVU: "DejaVu Math TeX Gyre", fonts.STIX: "STIX"}


@pytest.fixture(scope="module", params=[*fonts.sets(), "wide"])
def seen(
    request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Browser]]:
    """A set of fonts, and a browser that draws with it."""
    name: str = request.param
    if name == "wide":
        yield name, browser
        return
    scratch: Path = tmp_path_factory.mktemp("fonts")
    running = browser.browser_type.launch(
        executable_path=find_chromium(), args=list(FLAGS), env=fonts.environment(name, scratch)
    )
    yield name, running
    running.close()


@pytest.fixture
def drawn(seen: tuple[str, Browser]) -> Iterator[Page]:
    """A page of 1440 × 900 in the set of fonts."""
    name, running = seen
    context = running.new_context(
        viewport={"width": 1440, "height": 900}, reduced_motion="reduce", bypass_csp=True
    )
    page = context.new_page()
    if name == "wide":
        sheet = f"new CSSStyleSheet(); sheet.replaceSync({WIDE!r})"
        page.add_init_script(f"const sheet = {sheet}; document.adoptedStyleSheets = [sheet];")
    yield page
    context.close()


def open_tab(page: Page, server: str, question: str, tab: str) -> Locator:
    """The panel of a tab, with its pictures drawn."""
    page.goto(f"{server}/?{question}&tab={tab}&lang=en")
    panel = page.locator(TABS[tab])
    panel.locator("canvas[data-layer]").first.wait_for()
    return panel


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_formula_has_room(
    drawn: Page, seen: tuple[str, Browser], live_server: str, question: str
) -> None:
    moving = seen[0] == "wide"  # in the last resort a formula can be moved in its place
    found = {}
    for tab in TABS:
        panel = open_tab(drawn, live_server, QUESTIONS[question], tab)
        for width in WIDTHS:
            drawn.set_viewport_size({"width": width, "height": 900})
            assert panel.locator("math:visible").count() > 8
            found[tab, width] = panel.evaluate(TROUBLES, moving)
    assert {where: troubles for where, troubles in found.items() if troubles} == {}


def test_no_font_of_formulas_makes_the_page_longer(
    drawn: Page, seen: tuple[str, Browser], live_server: str
) -> None:
    open_tab(drawn, live_server, QUESTIONS["default"], "stages")
    assert drawn.evaluate("document.scrollingElement.scrollHeight") <= 900
    if seen[0] in FAMILIES:
        assert FAMILIES[seen[0]] in family(drawn, "[data-stage=weights] mi")


def test_the_pointer_over_a_card_covers_and_narrows_nothing(drawn: Page, live_server: str) -> None:
    panel = open_tab(drawn, live_server, QUESTIONS["default"], "stages")
    covered = []
    for width in WIDTHS:
        drawn.set_viewport_size({"width": width, "height": 900})
        cards = panel.locator(".card:visible:has(> .head > .take)")
        assert cards.count() > 8
        for card in cards.all():
            before = card.evaluate(ROOM)
            card.locator("h3").hover()
            assert card.evaluate(ROOM) == before
            assert card.locator(".take").evaluate("(take) => getComputedStyle(take).opacity") == "1"
            covered += [f"{width}: {told}" for told in card.evaluate(COVERED)]
    assert covered == []


def family(page: Page, selector: str) -> str:
    """The font that a browser really takes for an element."""
    tools = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        tools.send(f"{domain}.enable")
    root = tools.send("DOM.getDocument")["root"]["nodeId"]
    node = tools.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    used = tools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    return str(used[0]["familyName"])
