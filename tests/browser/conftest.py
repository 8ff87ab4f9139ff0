"""The Explore page in a real Chromium; after each test nobody may have complained."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.hands import PATIENCE, SEEDED, Explore

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

expect.set_options(timeout=PATIENCE * 1000)
DESK: ViewportSize = {"width": 1440, "height": 900}


@pytest.fixture(scope="module")
def desk(browser: Browser, live_server: str) -> Iterator[Explore]:
    """One page for the tests of a module: what it fetched once it need not fetch again."""
    context = browser.new_context(viewport=DESK, locale="en-US")
    context.set_default_timeout(PATIENCE * 1000)
    yield Explore(context.new_page(), live_server)
    context.close()


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


@pytest.fixture
def elsewhere(new_page: Callable[..., Page], live_server: str) -> Iterator[Callable[..., Explore]]:
    """Another window, with an address open: `elsewhere("/?lang=zh", color_scheme="dark", …)`."""
    opened: list[Explore] = []

    def open_page(address: str | None = SEEDED, **options: object) -> Explore:
        page = new_page(**{"viewport": DESK, "locale": "en-US", **options})
        page.set_default_timeout(PATIENCE * 1000)
        opened.append(Explore(page, live_server))
        if address is not None:
            opened[-1].open(address)
        return opened[-1]

    yield open_page
    assert [trouble for each in opened for trouble in each.watch.troubles()] == []
