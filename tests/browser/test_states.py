"""No state of a page has a fault against WCAG 2.2 AA, and in small windows nothing is cut off.

States are checked in English and light, whole pages in the colors of dark and in Chinese
too; `make test-full` checks more states, all in the other languages and themes, in more windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.checks import DESK, Rules, StatePage, Theme
from tests.browser.states import GROUPS, PAGES, State

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize

ONE: tuple[str, Theme] = ("en", "light")
OTHERS: tuple[tuple[str, Theme], ...] = (("en", "dark"), ("zh", "light"), ("zh", "dark"))
PHONE: ViewportSize = {"width": 320, "height": 640}
# First a laptop's window at 200 %, as low as a phone on its side.
MORE: list[ViewportSize] = [
    {"width": 720, "height": 360},
    {"width": 740, "height": 360},
    {"width": 720, "height": 450},
    {"width": 360, "height": 740},
]
WIDE = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(":is(.legend, .readout) { letter-spacing: 0.12em }");
  document.adoptedStyleSheets = [sheet];
}"""
IN_CHINESE = pytest.mark.parametrize("shown", [("zh", "dark")], ids="-".join, indirect=True)
IN_EACH = pytest.mark.parametrize(
    "shown",
    [ONE, *(pytest.param(each, marks=pytest.mark.full) for each in OTHERS)],
    ids=["-".join(each) for each in (ONE, *OTHERS)],
    indirect=True,
)


@pytest.fixture(scope="module")
def shown(
    request: pytest.FixtureRequest, browser: Browser, live_server: str
) -> Iterator[StatePage]:
    """A page in a language and a theme."""
    one = StatePage(browser, live_server, *request.param)
    yield one
    one.page.close()


def draw(page: StatePage, state: State, sizes: list[ViewportSize], rules: Rules = "all") -> None:
    """Opens a state at the first size, and draws the window to the others."""
    page.show(state, sizes[0])
    for size in sizes:
        if size == DESK:
            page.page.set_viewport_size(size)
            page.wait(state, size)
            page.thin(state)
            assert page.faults(rules) == []
        else:
            assert page.cut_off(size) == [], size
    if state.whole and page.language == "en":
        page.turn("dark" if page.own_theme == "light" else "light")
        assert page.faults("colors") == []


@IN_EACH
@pytest.mark.parametrize("group", GROUPS)
def test_no_state_has_a_fault_or_is_cut_off(
    shown: StatePage, subtests: pytest.Subtests, group: str
) -> None:
    """Whole pages and every second state are opened in the smallest window."""
    shown.open = None
    is_one = (shown.language, shown.own_theme) == ONE
    for number, (name, state) in enumerate(GROUPS[group].items()):
        if is_one and state.full:
            continue
        small = [PHONE] if is_one else [PHONE, *MORE]
        sizes = [*(small if state.narrow else []), DESK]
        with subtests.test(name):
            drawn = state if is_one else replace(state, alike=None)
            draw(shown, drawn, sizes if number % 2 or state.whole else sizes[::-1])


@IN_CHINESE
def test_no_page_has_a_fault_or_is_cut_off_in_chinese(
    shown: StatePage, subtests: pytest.Subtests
) -> None:
    """Their colors are those in English: see test_accessible.py."""
    shown.open = None
    for name, state in PAGES.items():
        with subtests.test(name):
            draw(shown, state, [PHONE, DESK], "no colors")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_in_a_comparison_is_cut_off_in_a_wide_font(
    browser: Browser, live_server: str, language: str
) -> None:
    """The font of the reader is unknown: Noto Sans and DejaVu Sans are a tenth wider."""
    shown = StatePage(browser, live_server, language, "light")
    address = "/compare?b.seed=1&stage=weights&cell=weights.1.0"
    shown.show(State(address, ("#large[open] canvas[data-layer]",)), PHONE)
    shown.page.evaluate(WIDE)
    large = shown.page.get_by_role("dialog")
    large.get_by_role("grid").focus()
    shown.page.locator(".readout:visible").first.wait_for()  # finds room on neither side
    assert shown.cut_off(PHONE) == []
    large.locator(".close").click()
    expect(large).to_be_hidden()
    assert shown.cut_off(PHONE) == []
    shown.page.close()
