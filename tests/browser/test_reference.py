"""The page of the API in a browser: an operation is found, tried, and fits a phone."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.hands import Explore, fits


def test_an_operation_is_found_in_the_contents_and_tried(window: Explore) -> None:
    page = window.page
    page.goto(f"{window.url}/api")
    contents = page.get_by_role("navigation", name="Operations")
    contents.get_by_role("link", name="POST /attention").click()
    heading = page.get_by_role("heading", name="POST /api/v1/attention", exact=True)
    card = page.get_by_role("article").filter(has=heading)
    expect(heading).to_be_in_viewport()
    card.get_by_text("Try it", exact=True).click()
    card.get_by_role("button", name="Send").click()
    expect(card.get_by_role("status")).to_contain_text("200")
    expect(card).to_contain_text('"num_heads": 4')
    assert window.watch.refusals == []


def test_the_reference_fits_a_phone_and_speaks_chinese(
    elsewhere: Callable[..., Explore],
) -> None:
    window = elsewhere(None, viewport={"width": 390, "height": 844}, locale="zh-CN")
    window.page.goto(f"{window.url}/api")
    expect(window.page.get_by_role("heading", level=1)).to_be_visible()
    expect(window.page.locator("html")).to_have_attribute("lang", "zh-CN")
    fits(window.page, 390)
    assert re.search(r"[\u4e00-\u9fff]", window.page.title())
