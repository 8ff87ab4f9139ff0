"""The API page: every operation, described and to be tried, with nothing from outside."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore


@pytest.fixture
def reference(window: Explore) -> Explore:
    window.page.goto(f"{window.url}/api")
    return window


def operation(page: Explore, method: str, path: str) -> Locator:
    heading = page.page.get_by_role("heading", name=f"{method} {path}", exact=True)
    return page.page.get_by_role("article").filter(has=heading)


def attempt(card: Locator, **values: str) -> Locator:
    """Fills in "Try it" and sends it; the outcome."""
    card.get_by_text("Try it", exact=True).click()
    for name, value in values.items():
        card.get_by_label(name, exact=True).fill(value)
    card.get_by_role("button", name="Send").click()
    return card.get_by_role("status")


def test_every_operation_of_the_description_is_on_the_page(reference: Explore) -> None:
    document = reference.page.request.get(f"{reference.url}/api/openapi.json").json()
    described = [
        (method.upper(), path, row)
        for path, methods in document["paths"].items()
        for method, row in methods.items()
    ]
    assert len(described) > 12
    for method, path, row in described:
        card = operation(reference, method, path)
        expect(card).to_have_count(1)
        expect(card).to_contain_text(row["summary"])
    assert reference.watch.troubles() == []
    assert reference.watch.refusals == []


def test_the_contents_lead_to_an_operation(reference: Explore) -> None:
    contents = reference.page.get_by_role("navigation", name="Operations")
    contents.get_by_role("link", name="POST /attention").click()
    expect(operation(reference, "POST", "/api/v1/attention")).to_be_in_viewport()


def test_a_question_can_be_tried_as_it_stands(reference: Explore) -> None:
    card = operation(reference, "POST", "/api/v1/attention")
    expect(attempt(card)).to_contain_text("200")
    expect(card).to_contain_text('"num_heads": 4')
    card.get_by_role("textbox", name="Body").fill('{"text": "one two", "stages": ["weights"]}')
    card.get_by_role("button", name="Send").click()
    expect(card).to_contain_text('"weights"')
    expect(card).to_contain_text('"max_row_sum_error"')


def test_a_trace_can_be_tried_by_its_name(reference: Explore) -> None:
    body = {"text": "The cat sat"}
    made = reference.page.request.post(f"{reference.url}/api/v1/traces", data=body).json()
    card = operation(reference, "GET", "/api/v1/traces/{id}")
    card.get_by_text("Try it", exact=True).click()
    card.get_by_role("textbox").first.fill(made["trace"])
    card.get_by_role("button", name="Send").click()
    expect(card.get_by_role("status")).to_contain_text("200")
    expect(card).to_contain_text(made["trace"])
    card.get_by_role("textbox").first.fill("nowhere")
    card.get_by_role("button", name="Send").click()
    expect(card.get_by_role("status")).to_contain_text("404")
    expect(card).to_contain_text("unknown_trace")


def test_health_can_be_tried(reference: Explore) -> None:
    card = operation(reference, "GET", "/healthz")
    expect(attempt(card)).to_contain_text("200")
    expect(card).to_contain_text('"ok"')


def test_without_a_server_trying_says_so(reference: Explore) -> None:
    reference.page.route("**/healthz", lambda route: route.abort("connectionrefused"))
    outcome = attempt(operation(reference, "GET", "/healthz"))
    expect(outcome).to_contain_text("attnscope is running")


def test_the_reference_fits_a_phone_and_speaks_chinese(
    elsewhere: Callable[..., Explore],
) -> None:
    window = elsewhere(None, viewport={"width": 390, "height": 844}, locale="zh-CN")
    window.page.goto(f"{window.url}/api")
    expect(window.page.get_by_role("heading", level=1)).to_be_visible()
    expect(window.page.locator("html")).to_have_attribute("lang", "zh-CN")
    width = "document.scrollingElement.scrollWidth - document.documentElement.clientWidth"
    assert window.page.evaluate(width) <= 0
    assert re.search(r"[\u4e00-\u9fff]", window.page.title())
