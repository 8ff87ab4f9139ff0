"""The Explore page in a real Chromium; after each test nobody may have complained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.hands import PATIENCE, SEEDED, Explore

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

expect.set_options(timeout=PATIENCE * 1000)
DESK: ViewportSize = {"width": 1440, "height": 900}
# What an open window can be given; another option needs a context of its own.
LATER = {"viewport", "color_scheme", "reduced_motion", "permissions"}
# Once the page before is left, which may write a last time.
CLEAR = """
if (window.name === "new") {
  window.name = "";
  localStorage.clear();
  sessionStorage.clear();
}
"""


def opened(browser: Browser) -> Explore:
    """A window in a context of its own, which `make_new` gives a server."""
    context = browser.new_context(viewport=DESK, locale="en-US")
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
    """Makes a window what a new one is for the next address: nothing is kept but the cache and what
    is compiled, which is half of the processor time of opening the page."""
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
        forced_colors="none",
        **{"color_scheme": "light", "reduced_motion": "no-preference", **options},
    )
    page.set_viewport_size(viewport)
    page.mouse.move(0, 0)
    window.answers.clear()
    window.watch.forget()


@pytest.fixture(scope="session")
def only(browser: Browser) -> Iterator[Explore]:
    """One window for all tests of a worker."""
    one = opened(browser)
    yield one
    one.page.context.close()


@pytest.fixture(scope="module")
def desk(only: Explore, live_server: str) -> Explore:
    """The window, as new for the tests of a module and their server."""
    make_new(only, live_server)
    return only


@pytest.fixture
def window(desk: Explore) -> Iterator[Explore]:
    """The page before it goes anywhere."""
    desk.page.mouse.move(0, 0)
    yield desk
    desk.page.unroute_all(behavior="ignoreErrors")
    troubles = desk.watch.troubles()
    if troubles:
        desk.page.goto("about:blank")  # what ails this page must not ail the next test
    desk.watch.forget()
    assert troubles == []


@pytest.fixture
def explore(window: Explore) -> Explore:
    """The page with the default question answered."""
    window.open()
    return window


@pytest.fixture(scope="session")
def spare(browser: Browser) -> Iterator[list[Explore]]:
    """Windows that other tests have had."""
    windows: list[Explore] = []
    yield windows
    for each in windows:
        each.page.context.close()


@pytest.fixture
def elsewhere(
    browser: Browser, new_page: Callable[..., Page], live_server: str, spare: list[Explore]
) -> Iterator[Callable[..., Explore]]:
    """Another window, with an address open: `elsewhere("/?lang=zh", color_scheme="dark", …)`; its
    cache may be full, unless it has an option that needs a context of its own, or `is_new`."""
    lent: list[Explore] = []
    own: list[Explore] = []

    def open_page(address: str | None = SEEDED, *, is_new: bool = False, **options: Any) -> Explore:
        if is_new or not options.keys() <= LATER:
            page = new_page(**{"viewport": DESK, "locale": "en-US", **options})
            page.set_default_timeout(PATIENCE * 1000)
            one = Explore(page, live_server)
            own.append(one)
        else:
            one = spare.pop() if spare else opened(browser)
            lent.append(one)
            make_new(one, live_server, **options)
        if address is not None:
            one.open(address)
        return one

    yield open_page
    troubles = [trouble for each in (*own, *lent) for trouble in each.watch.troubles()]
    spare.extend(lent)
    assert troubles == []
