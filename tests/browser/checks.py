"""A page that visits states, with checks for accessibility and overflow."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from playwright.sync_api import ViewportSize, expect

from tests.browser.hands import PATIENCE, until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

    from tests.browser.states import State

Theme = Literal["light", "dark"]
Rules = Literal["all", "colors", "no colors"]
FAULTS = Path(__file__).with_name("faults.js")
AXE = Path(__file__).resolve().parents[2] / "node_modules/axe-core/axe.min.js"
DESK: ViewportSize = {"width": 1440, "height": 900}

# Overflows the window or its card, in nothing that scrolls; a readout may reach over its card.
OUTSIDE = """() => {
  const width = document.documentElement.clientWidth;
  const held = (element) => element.closest(".hidden, .skip, svg") ||
    (element.parentElement && (getComputedStyle(element.parentElement).overflowX !== "visible"
      || held(element.parentElement)));
  return [...document.body.querySelectorAll("*")].filter((element) => {
    const { left, right, width: own } = element.getBoundingClientRect();
    const card = element.closest(".readout") ? null : element.parentElement?.closest(".card");
    const edge = card ? Math.min(width, card.getBoundingClientRect().right) : width;
    const over = own > 0 && (left < -1 || right > edge + 1);
    return over && element.checkVisibility() && !held(element);
  }).map((element) => element.id || element.className || element.tagName);
}"""
# Pixels of overflow of page and navigation, whose links must be visible without scrolling.
CUT = f"""(width) => {{
  const page = document.documentElement, nav = document.querySelector(".top nav");
  const wide = page.scrollWidth - width, links = nav ? nav.scrollWidth - nav.clientWidth : 0;
  return [
    ...(innerWidth === width ? [] : [`${{innerWidth}} pixels`]),
    ...(wide > 0 ? [`the page: ${{wide}}`] : []), ...({OUTSIDE})(),
    ...(links ? [`the links: ${{links}}`] : []),
  ];
}}"""
WALK = """(address) => {
  history.pushState(null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
}"""
# Whether a state has come, without dimmed answers of the last question.
COME = """([signs, isSeen, isAnswered]) =>
  !(isAnswered && [...document.querySelectorAll("[data-other]")]
    .some((part) => part.checkVisibility())) &&
  (!isSeen || !document.querySelector("[data-pending]")) &&
  signs.every((sign) => [...document.querySelectorAll(sign)]
    .some((element) => !isSeen || element.checkVisibility()))"""


class StatePage:
    """In one language and theme."""

    def __init__(self, browser: Browser, url: str, language: str, theme: Theme) -> None:
        self.url, self.language = url, language
        self.theme = self.own_theme = theme
        self.open: str | None = None  # path of the document
        # For axe alone.
        self.page = browser.new_page(
            viewport=DESK, color_scheme=theme, bypass_csp=True, reduced_motion="reduce"
        )
        self.page.set_default_timeout(PATIENCE * 1000)
        for script in (AXE, FAULTS):
            self.page.add_init_script(path=script)

    def show(self, state: State, size: ViewportSize = DESK) -> None:
        """Visit a state in the page's own theme, and wait for it."""
        self.turn(self.own_theme)
        self.page.set_viewport_size(size)
        self.page.unroute_all(behavior="ignoreErrors")
        held: list[Route] = []
        if state.held:
            self.page.route(state.held, lambda route: held.append(route))
        if state.address:
            self.go(state, size)
        for press in state.presses:
            self.page.locator(press).first.click()
        self.wait(state, size)
        if state.held:
            until(self.page, lambda: held, f"{state.held} is requested")
        # A second press closes the menu.
        elif len(state.presses) < 2:
            self.open = state.path

    def wait(self, state: State, size: ViewportSize) -> None:
        """Visible in a desktop window."""
        self.page.wait_for_function(COME, arg=self._come(state, size))

    def _come(self, state: State, size: ViewportSize) -> tuple[tuple[str, ...], bool, bool]:
        """Arguments of COME; a refused question has no answer."""
        refused = any(".notice" in sign for sign in state.signs)
        return (state.signs, size == DESK and not state.held, not refused)

    def go(self, state: State, size: ViewportSize) -> None:
        """In the open document, or in a new one if the signs are there already."""
        address = f"{state.address}{'&' if '?' in state.address else '?'}lang={self.language}"
        is_open, self.open = self.open == state.path and not state.held, None
        self.page.keyboard.press("Escape")  # closes what a press has opened
        if is_open and not self.page.evaluate(COME, self._come(state, size)):
            self.page.evaluate(WALK, address)
        else:
            self.page.goto(self.url + address, wait_until="commit")

    def turn(self, theme: Theme) -> None:
        if theme == self.theme:
            return
        self.theme = theme
        self.page.emulate_media(color_scheme=theme)
        expect(self.page.locator("html")).to_have_attribute("data-theme", theme)

    def thin(self, state: State) -> None:
        """Removes all but a few similar elements."""
        remove = "(alike) => document.querySelectorAll(alike).forEach((each) => each.remove())"
        if state.alike:
            self.page.evaluate(remove, state.alike)

    def faults(self, rules: Rules = "all") -> list[str]:
        """axe's findings in parts that the same rules have not checked before."""
        found: list[str] = self.page.evaluate("(rules) => newFaults(rules)", rules)
        return found

    def cut_off(self, size: ViewportSize) -> list[object]:
        """Overflow at a window size, once pictures are drawn."""
        self.page.set_viewport_size(size)
        end = time.monotonic() + PATIENCE
        while (found := self.page.evaluate(CUT, size["width"])) and time.monotonic() < end:
            self.page.wait_for_timeout(30)
        return list(found)
