"""No formula is cut off or written over, at any width, in any font, whatever is asked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import fonts
from tests.browser.conftest import DESK
from tests.browser.hands import PATIENCE, left, until
from tests.chromium import FLAGS, find_chromium

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, CDPSession, Locator, Page

# The narrowest of each layout, and one more of the second.
WIDTHS = (1440, 1240, 1024, 390)
MORE = (1280,)
QUESTIONS = {
    "default": "",
    "layers": "num_layers=4&block=pre_norm&mlp=true",
    "context": "context=The%20cat%20sat",
    "rotary": "positions=rotary",
    "alibi": "positions=alibi",
    "context, alibi": "context=The%20cat%20sat&positions=alibi",
    "rotary layers": "positions=rotary&num_layers=4&block=pre_norm&mlp=true",
}
LONGEST = "rotary layers"
OTHER = "context, alibi"  # what the longest does not have
# The widest font, where it is unpacked.
WIDEST = fonts.DEJAVU if fonts.DEJAVU in fonts.sets() else "neither"
IN_WIDEST = pytest.mark.parametrize(
    "seen",
    [pytest.param(name, marks=() if name == WIDEST else pytest.mark.full) for name in fonts.sets()],
    indirect=True,
)
TABS = {"stages": "#pipeline", "gradients": "#panel-gradients"}
# What a formula loses to a box that hides it, and what it is written over.
TROUBLES = """(root, moving) => {
  const box = (element) => element.getBoundingClientRect();
  const overflow = (element) => getComputedStyle(element).overflowX;
  const hides = (element) => overflow(element) !== "visible";
  const seen = [...root.querySelectorAll("math")].filter((math) => math.checkVisibility());
  if (seen.length < 9) return [`only ${seen.length} formulas`];
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
    const faults = [cut && `${name}: cut off`, under && `${name}: over ${under.textContent}`];
    return faults.filter(Boolean);
  });
}"""

# What the buttons that save a card's picture lie over, and how wide the formulas are.
COVERED = """(cards) => cards.flatMap((card) => {
  const box = (element) => element.getBoundingClientRect();
  const button = card.querySelector(".take");
  const take = box(button);
  const parts = "math, h3, .enlarge, .shape > span, .plot, .labels span, .axes span, .legend > *";
  const seen = [...card.querySelectorAll(parts)].filter((part) => part.checkVisibility());
  const under = seen.filter((part) => {
    const its = box(part);
    return Math.min(take.right, its.right) - Math.max(take.left, its.left) > 1
      && Math.min(take.bottom, its.bottom) - Math.max(take.top, its.top) > 1;
  });
  const name = card.dataset.stage;
  const unseen = getComputedStyle(button).opacity === "1" ? [] : [`${name}: no button`];
  return [...unseen, ...under.map((part) => `${name}: ${part.className} ${part.textContent}`)];
})"""
ROOM = """async (cards) => {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  const wide = (one) => one.getBoundingClientRect().width;
  return cards.map((card) => [...card.querySelectorAll("math, .formula")].map(wide));
}"""
CARDS = "#pipeline .card:has(> .head > .take)"

# Wider than any font we know of, on top of each.
WIDE = "math { font-size: 1.25em } .head { letter-spacing: 0.04em }"
# What is left of the troubles once the page rests, in the fonts and then in wider ones.
IN_BOTH = f"""async (root, rules) => {{
  const troubles = {TROUBLES};
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [sheet];
  const left = async (moving) => {{
    let found;
    for (let looks = 0; looks < 200; looks++) {{
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      if (!(found = troubles(root, moving)).length) break;
    }}
    return found;
  }};
  const found = await left(false);
  sheet.replaceSync(rules);
  found.push(...(await left(true)).map((each) => `wide: ${{each}}`));
  sheet.replaceSync("");
  return found;
}}"""
FAMILIES = {fonts.DEJAVU: "DejaVu Math TeX Gyre", fonts.STIX: "STIX"}


def in_font(name: str) -> object:
    """The tests in a set of fonts: those of `make test` are in the widest, and in none of ours."""
    return pytest.param(name, marks=() if name in (WIDEST, "neither") else pytest.mark.full)


@pytest.fixture(scope="module", params=[in_font(name) for name in fonts.sets()])
def seen(
    request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Page]]:
    """A set of fonts, and a page in a browser that draws with it."""
    name: str = request.param
    scratch: Path = tmp_path_factory.mktemp("fonts")
    running = browser.browser_type.launch(
        executable_path=find_chromium(), args=list(FLAGS), env=fonts.environment(name, scratch)
    )
    page = running.new_page(viewport=DESK, reduced_motion="reduce", bypass_csp=True)
    page.set_default_timeout(PATIENCE * 1000)
    yield name, page
    running.close()


@pytest.fixture
def drawn(seen: tuple[str, Page]) -> Page:
    """The page in the set of fonts, 1440 × 900."""
    seen[1].set_viewport_size(DESK)
    seen[1].mouse.move(0, 0)
    return seen[1]


def opened(page: Page, server: str, question: str) -> Locator:
    """The stages, with their pictures drawn."""
    page.goto(f"{server}/?{question}&lang=en")
    panel = page.locator(TABS["stages"])
    panel.locator("canvas[data-layer]").first.wait_for()
    return panel


def check(page: Page, server: str, question: str, widths: tuple[int, ...] = WIDTHS) -> None:
    """No formula has trouble, in the fonts and in wider ones: there, in the last resort, it can be
    moved in its place."""
    opened(page, server, QUESTIONS[question])
    found = []
    for tab, place in TABS.items():
        page.set_viewport_size({"width": widths[0], "height": 900})
        page.locator(f"#tab-{tab}").click()
        panel = page.locator(place)
        panel.locator("canvas[data-layer]").first.wait_for()
        for width in widths:
            page.set_viewport_size({"width": width, "height": 900})
            found += [f"{tab}, {width}, {each}" for each in panel.evaluate(IN_BOTH, WIDE)]
    assert found == []


def test_the_longest_formulas_have_room_in_every_font_and_make_the_page_no_longer(
    drawn: Page, seen: tuple[str, Page], live_server: str
) -> None:
    """Fonts that are not the widest are tried in two windows."""
    panel = opened(drawn, live_server, QUESTIONS["default"])
    assert panel.evaluate("(rows) => rows.scrollHeight") <= 722
    if seen[0] in FAMILIES:
        assert FAMILIES[seen[0]] in family(drawn, "[data-stage=weights] mi")
    check(drawn, live_server, LONGEST, WIDTHS if seen[0] == WIDEST else (1240, 390))


@IN_WIDEST
@pytest.mark.parametrize(
    "question",
    [
        OTHER,
        *(pytest.param(each, marks=pytest.mark.full) for each in QUESTIONS if each != OTHER),
    ],
)
def test_every_formula_has_room(drawn: Page, live_server: str, question: str) -> None:
    check(drawn, live_server, question)


@pytest.mark.full
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_formula_has_room_in_more_windows(
    drawn: Page, live_server: str, question: str
) -> None:
    check(drawn, live_server, question, MORE)


@IN_WIDEST
def test_scripts_are_smaller_than_their_base_at_its_depth(drawn: Page, live_server: str) -> None:
    """Firefox makes none at a greater depth smaller than 8pt."""
    sizes = """(panel) => {
      const scripts = panel.querySelectorAll(":is(msub, msup, msubsup) > :not(:first-child)");
      return [...scripts].map((script) => {
        const [own, base] = [script, script.parentElement].map((each) => getComputedStyle(each));
        const size = parseFloat(own.fontSize) / parseFloat(base.fontSize);
        return [own.mathDepth === base.mathDepth, size];
      });
    }"""
    found = opened(drawn, live_server, QUESTIONS["default"]).evaluate(sizes)
    assert len(found) > 8
    assert all(alike and 0.74 < size < 0.81 for alike, size in found), found


@IN_WIDEST
def test_the_pointer_over_a_card_covers_and_narrows_nothing(drawn: Page, live_server: str) -> None:
    """One card is pointed at; then all at once are, as far as their style sheets know."""
    opened(drawn, live_server, QUESTIONS["default"])
    cards = drawn.locator(f"{CARDS}:visible")
    assert cards.count() > 8
    button = cards.first.locator(".take")
    expect(button).to_have_css("opacity", "0")
    cards.first.locator("h3").hover()
    expect(button).to_have_css("opacity", "1")
    drawn.mouse.move(0, 0)
    expect(button).to_have_css("opacity", "0")
    tools, found = nodes(drawn, CARDS)
    for width in WIDTHS:
        drawn.set_viewport_size({"width": width, "height": 900})
        point_at(tools, found, ["hover"])
        assert left(drawn, partial(cards.evaluate_all, COVERED)) == [], width
        pointed = cards.evaluate_all(ROOM)
        point_at(tools, found, [])
        until(drawn, lambda: cards.evaluate_all(ROOM) == pointed, f"the same room, {width}")  # noqa: B023


def nodes(page: Page, selector: str) -> tuple[CDPSession, list[int]]:
    """A session of the inspector, and what it calls the elements."""
    tools = page.context.new_cdp_session(page)
    for domain in ("DOM", "CSS"):
        tools.send(f"{domain}.enable")
    root = tools.send("DOM.getDocument")["root"]["nodeId"]
    found = tools.send("DOM.querySelectorAll", {"nodeId": root, "selector": selector})["nodeIds"]
    return tools, found


def point_at(tools: CDPSession, elements: list[int], states: list[str]) -> None:
    """Gives elements the style that they have under the pointer, or takes it away."""
    for node in elements:
        tools.send("CSS.forcePseudoState", {"nodeId": node, "forcedPseudoClasses": states})


def family(page: Page, selector: str) -> str:
    """The font that a browser really takes for an element."""
    tools, found = nodes(page, selector)
    used = tools.send("CSS.getPlatformFontsForNode", {"nodeId": found[0]})["fonts"]
    return str(used[0]["familyName"])
