"""Shared fixtures: a server and a browser."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

import tests.shapes  # noqa: F401  (holds the shapes of the engine: before it is imported)
from tests.chromium import FLAGS, find_chromium
from tests.serving import PRELOADED, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

# Benchmarks measure time, not examples.
BUSY: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("quick", **BUSY, max_examples=40)
settings.register_profile("full", **BUSY, max_examples=100)
# Syntax trees and schemas are many objects without cycles: collections took three quarters of
# reading the sources.
gc.set_threshold(50_000, 20, 20)


def pytest_collection_finish() -> None:
    """Exclude existing objects from collection."""
    gc.collect()
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("quick" if "not full" in config.option.markexpr else "full")


@contextmanager
def _without_loop(item: pytest.Item) -> Iterator[None]:
    """Hide Playwright's event loop, which counts as running, from tests without browser."""
    if "browser" in getattr(item, "fixturenames", ()):
        yield
        return
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(loop)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    with _without_loop(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    with _without_loop(item):
        return (yield)


@pytest.fixture(scope="session")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address, for the whole session."""
    with serving(PRELOADED, tmp_path_factory.mktemp("server")) as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """`make test` installs Chromium if missing."""
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
    """In its own context: `new_page(viewport={…}, color_scheme="dark", …)`."""
    contexts: list[BrowserContext] = []

    def open_page(**options: object) -> Page:
        contexts.append(browser.new_context(**options))  # type: ignore[arg-type]
        return contexts[-1].new_page()

    yield open_page
    for context in contexts:
        context.close()
