"""Explore in Chromium; complaints of the page fail a test."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.hands import PATIENCE, SEEDED, Explore

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Kind = frozenset[tuple[str, Any]]
Spare = dict[Kind, list[Explore]]
expect.set_options(timeout=PATIENCE * 1000)
DESK: ViewportSize = {"width": 1440, "height": 900}
# What an open window can be given; a window with other options is reused for the same ones.
LATER = {"viewport", "color_scheme", "reduced_motion", "forced_colors", "permissions"}
# After the page before was left, which may write last. Without the cards' light of a first visit:
# two seconds of new frames.
CLEAR = """
if (window.name === "new") {
  window.name = "";
  localStorage.clear();
  sessionStorage.clear();
  sessionStorage.setItem("lit", "1");
}
"""


def opened(browser: Browser, **options: Any) -> Explore:
    """In its own context; `make_new` sets the server."""
    context = browser.new_context(**{"viewport": DESK, "locale": "en-US", **options})
    context.set_default_timeout(PATIENCE * 1000)
    context.add_init_script(CLEAR)
    return Explore(context.new_page(), "")


def make_new(
    window: Explore,
    url: str,
    viewport: ViewportSize = DESK,
    permissions: Sequence[str] = (),
    **options: Any,
) -> None:
    """Reset a window but for the cache and compiled code, half of the cost of opening the page."""
    page, context = window.page, window.page.context
    window.url = window.watch.origin = url
    for other in context.pages:
        if other != page:
            other.close()
    page.unroute_all(behavior="ignoreErrors")
    page.evaluate("window.name = 'new'")
    context.clear_cookies()
    context.clear_permissions()
    context.grant_permissions(permissions)
    page.emulate_media(
        media="null",
        contrast="no-preference",
        **{
            "color_scheme": "light",
            "reduced_motion": "no-preference",
            "forced_colors": "none",
            **options,
        },
    )
    page.set_viewport_size(viewport)
    page.mouse.move(0, 0)
    window.answers.clear()
    window.watch.forget()


@pytest.fixture(scope="session")
def only(browser: Browser) -> Iterator[Explore]:
    """One for all tests of a worker."""
    one = opened(browser)
    yield one
    one.page.context.close()


@pytest.fixture(scope="module")
def desk(only: Explore, live_server: str) -> Explore:
    """Reset for a module."""
    make_new(only, live_server)
    return only


@pytest.fixture
def window(desk: Explore) -> Iterator[Explore]:
    """Before it goes anywhere."""
    desk.page.mouse.move(0, 0)
    yield desk
    desk.page.unroute_all(behavior="ignoreErrors")
    troubles = desk.watch.troubles()
    if troubles:
        desk.page.goto("about:blank")  # else it would affect the next test
    desk.watch.forget()
    assert troubles == []


@pytest.fixture
def explore(window: Explore) -> Explore:
    """With the default question answered."""
    window.open()
    return window


@pytest.fixture(scope="session")
def spare(browser: Browser) -> Iterator[Spare]:
    """Windows to reuse, by the options that an open one cannot be given."""
    windows: Spare = defaultdict(list)
    yield windows
    for each in chain.from_iterable(windows.values()):
        each.page.context.close()


@pytest.fixture
def elsewhere(
    browser: Browser, new_page: Callable[..., Page], live_server: str, spare: Spare
) -> Iterator[Callable[..., Explore]]:
    """Another window: `elsewhere("/?lang=zh", color_scheme="dark", …)`.

    Its cache may be full, unless `is_new`.
    """
    lent: list[tuple[Kind, Explore]] = []
    own: list[Explore] = []

    def open_page(address: str | None = SEEDED, *, is_new: bool = False, **options: Any) -> Explore:
        if is_new:
            page = new_page(**{"viewport": DESK, "locale": "en-US", **options})
            page.set_default_timeout(PATIENCE * 1000)
            one = Explore(page, live_server)
            own.append(one)
        else:
            fixed = {name: value for name, value in options.items() if name not in LATER}
            kind = frozenset(fixed.items())
            one = spare[kind].pop() if spare[kind] else opened(browser, **fixed)
            lent.append((kind, one))
            make_new(one, live_server, **{k: v for k, v in options.items() if k in LATER})
        if address is not None:
            one.open(address)
        return one

    yield open_page
    windows = (*own, *(one for _, one in lent))
    troubles = [trouble for each in windows for trouble in each.watch.troubles()]
    for kind, one in lent:
        spare[kind].append(one)
    assert troubles == []
