"""A page that goes from state to state, and what is checked there: faults, and what is cut off."""

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
FAULTS = Path(__file__).with_name("faults.js")
AXE = Path(__file__).resolve().parents[2] / "node_modules/axe-core/axe.min.js"
DESK: ViewportSize = {"width": 1440, "height": 900}

# What reaches over the window's edge and stands in nothing that scrolls by itself.
OUTSIDE = """() => {
  const width = document.documentElement.clientWidth;
  const held = (element) => element.closest(".hidden, .skip, svg") ||
    (element.parentElement && (getComputedStyle(element.parentElement).overflowX !== "visible"
      || held(element.parentElement)));
  return [...document.body.querySelectorAll("*")].filter((element) => {
    const { left, right, width: own } = element.getBoundingClientRect();
    const over = own > 0 && (left < -1 || right > width + 1);
    return over && element.checkVisibility() && !held(element);
  }).map((element) => element.id || element.className || element.tagName);
}"""
# By how many pixels the page is too wide, what reaches over its edge, and by how much the links of
# its head are too wide: they must be seen, not scrolled to.
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
# Whether a state has come, and is no longer the dimmed answer to the question before.
COME = """([signs, isSeen, isAnswered]) =>
  !(isAnswered && [...document.querySelectorAll("[data-other]")]
    .some((part) => part.checkVisibility())) &&
  (!isSeen || !document.querySelector("[data-pending]")) &&
  signs.every((sign) => [...document.querySelectorAll(sign)]
    .some((element) => !isSeen || element.checkVisibility()))"""


class StatePage:
    """One page, in a language and a theme, that goes from state to state."""

    def __init__(self, browser: Browser, url: str, language: str, theme: Theme) -> None:
        self.url, self.language = url, language
        self.theme = self.own_theme = theme
        self.open: str | None = None  # path of the document
        # The policy of the page is passed over for axe alone.
        self.page = browser.new_page(
            viewport=DESK, color_scheme=theme, bypass_csp=True, reduced_motion="reduce"
        )
        self.page.set_default_timeout(PATIENCE * 1000)
        for script in (AXE, FAULTS):
            self.page.add_init_script(path=script)

    def show(self, state: State, size: ViewportSize = DESK) -> None:
        """Goes to a state, in the page's own theme, and waits until it has come."""
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
        # The press that opens a menu closes one that is open.
        elif len(state.presses) < 2:
            self.open = state.path

    def wait(self, state: State, size: ViewportSize) -> None:
        """Waits until a state has come, and is seen in the window of a desk."""
        self.page.wait_for_function(COME, arg=self._come(state, size))

    def _come(self, state: State, size: ViewportSize) -> tuple[tuple[str, ...], bool, bool]:
        """The arguments of COME; a question that is refused has no answer to wait for."""
        refused = any(".notice" in sign for sign in state.signs)
        return (state.signs, size == DESK and not state.held, not refused)

    def go(self, state: State, size: ViewportSize) -> None:
        """Inside the open document; in a new one where the signs of the state are there already."""
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
        """Leaves a few of the elements of one make."""
        remove = "(alike) => document.querySelectorAll(alike).forEach((each) => each.remove())"
        if state.alike:
            self.page.evaluate(remove, state.alike)

    def faults(self, *, colors: bool = False) -> list[str]:
        """What axe finds in the parts of the page that were not checked before; or only what the
        rules about colors find, for they are all that a theme can break."""
        found: list[str] = self.page.evaluate("(colors) => newFaults(colors)", colors)
        return found

    def cut_off(self, size: ViewportSize) -> list[object]:
        """What is cut off in a window of a size, once the pictures are drawn for it."""
        self.page.set_viewport_size(size)
        end = time.monotonic() + PATIENCE
        while (found := self.page.evaluate(CUT, size["width"])) and time.monotonic() < end:
            self.page.wait_for_timeout(30)
        return list(found)
