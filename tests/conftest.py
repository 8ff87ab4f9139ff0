"""What many tests share: a server that runs, and a browser to look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

import tests.shapes  # noqa: F401  (holds the shapes of the engine: before it is imported)
from tests.chromium import FLAGS, find_chromium
from tests.serving import COMMAND, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

# The machine may be busy: time is measured by benchmarks, not by examples.
settings.register_profile("quick", deadline=None, max_examples=40)
settings.register_profile("full", deadline=None, max_examples=100)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("quick" if "not full" in config.option.markexpr else "full")


@pytest.fixture(scope="session")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that runs for the whole session."""
    with serving(COMMAND, tmp_path_factory.mktemp("server")) as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium; `make test` installs one where none is found."""
    from playwright.sync_api import sync_playwright

    path = find_chromium()
    if path is None:
        pytest.fail("no Chromium or Chrome was found: run `make test`, or set CHROMIUM to its path")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page in a context of its own: `new_page(viewport={…}, color_scheme="dark", …)`."""
    contexts: list[BrowserContext] = []

    def open_page(**options: object) -> Page:
        contexts.append(browser.new_context(**options))  # type: ignore[arg-type]
        return contexts[-1].new_page()

    yield open_page
    for context in contexts:
        context.close()
