"""No state of a page has a fault against WCAG 2.2 AA, and in small windows nothing is cut off.

States are checked in English and light, whole pages in both languages and both themes; `make
test-full` checks all in all, and in more windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.checks import DESK, StatePage, Theme
from tests.browser.states import GROUPS, PAGES, State

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize

Opens = Callable[..., StatePage]
ONE: tuple[str, Theme] = ("en", "light")
OTHERS: tuple[tuple[str, Theme], ...] = (("en", "dark"), ("zh", "light"), ("zh", "dark"))
# A laptop's window at 200 %, as low as a phone on its side; and a small phone.
SMALL: list[ViewportSize] = [{"width": 720, "height": 360}, {"width": 320, "height": 640}]
MORE: list[ViewportSize] = [
    {"width": 740, "height": 360},
    {"width": 720, "height": 450},
    {"width": 360, "height": 740},
]


@pytest.fixture
def state_page(browser: Browser, live_server: str) -> Iterator[Opens]:
    opened: list[StatePage] = []

    def open_page(language: str, theme: Theme) -> StatePage:
        opened.append(StatePage(browser, live_server, language, theme))
        return opened[-1]

    yield open_page
    for each in opened:
        each.page.close()


def check(page: StatePage, state: State, sizes: list[ViewportSize]) -> None:
    """Opens a state at the first size, and draws the window to the others."""
    page.show(state, sizes[0])
    for size in sizes:
        cut = [] if size == DESK else page.cut_off(size)
        assert cut == [], size
        if size == DESK:
            page.page.set_viewport_size(size)
            assert page.faults() == []


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize(
    ("language", "theme"),
    [ONE, *(pytest.param(*each, marks=pytest.mark.full) for each in OTHERS)],
)
def test_no_state_has_a_fault_or_is_cut_off(
    state_page: Opens, subtests: pytest.Subtests, group: str, language: str, theme: Theme
) -> None:
    """Half of the states of small windows are opened there."""
    page = state_page(language, theme)
    small = SMALL if (language, theme) == ONE else [*SMALL, *MORE]
    for number, (name, state) in enumerate(GROUPS[group].items()):
        sizes = [DESK, *(small if state.narrow else [])]
        with subtests.test(name):
            check(page, state, sizes if number % 2 == 0 else sizes[::-1])


def test_no_page_has_a_fault_in_either_theme_or_is_cut_off(
    state_page: Opens, subtests: pytest.Subtests
) -> None:
    """Each page in the theme of the one before, and then in the other."""
    themes: list[Theme] = ["light", "dark"]
    page = state_page("en", themes[0])
    for name, state in PAGES.items():
        with subtests.test(name):
            check(page, state, [DESK, *SMALL])
            page.thin(state)
            themes.reverse()
            page.turn(themes[0])
            page.page.set_viewport_size(DESK)
            assert page.faults(colors=True) == []


def test_no_page_has_a_fault_or_is_cut_off_in_chinese(
    state_page: Opens, subtests: pytest.Subtests
) -> None:
    page = state_page("zh", "dark")
    for name, state in PAGES.items():
        with subtests.test(name):
            page.show(state)
            page.thin(state)
            assert page.faults() == []
            assert page.cut_off(SMALL[-1]) == []
