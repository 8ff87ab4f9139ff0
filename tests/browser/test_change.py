"""Changing numbers by key, with undo, redo and the browser's own history."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Request, expect

from tests.browser.hands import Explore, address_has, address_lacks


def typed(explore: Explore) -> Locator:
    """The number of the pinned cell."""
    return explore.page.get_by_label("Change this number").get_by_role("textbox")


def is_question(request: Request) -> bool:
    """Not what the page asks of parameters for itself."""
    is_one = request.url.endswith("/api/v1/attention")
    return is_one and "parameters" not in json.loads(request.post_data or "{}")


def asked(explore: Explore, act: Callable[[], Any]) -> dict[str, Any]:
    """The body of the question that an act sends."""
    with explore.page.expect_request(is_question) as sent:
        act()
    body: dict[str, Any] = json.loads(sent.value.post_data or "{}")
    return body


def button(explore: Explore, name: str) -> Locator:
    return explore.page.get_by_role("button", name=name)


def test_numbers_of_a_small_matrix_are_typed_walked_through_and_undone(window: Explore) -> None:
    page = window.page
    window.open("/?source=explicit&text=a%20b")
    page.get_by_role("button", name="Change", exact=True).click()
    panel = page.get_by_role("region", name="Change anything")
    panel.get_by_role("button", name="w_v").click()
    cell = panel.get_by_role("textbox", name="w_v · d_model 0 · kv_head·d_v 0")
    first = asked(window, lambda: cell.fill("0.25"))
    assert first["model"]["w_v"][0] == [0.25, 0, 0, 0]
    cell.press("Enter")
    page.keyboard.press("ArrowRight")
    second = asked(window, lambda: page.keyboard.type("7"))
    assert second["model"]["w_v"][1] == [0, 7, 0, 0]
    window.shows(second, ["v", "head_outputs", "output"])
    expect(window.inspector).to_contain_text("7.000")
    cell.fill("nonsense")
    expect(cell).to_have_attribute("aria-invalid", "true")
    cell.press("Escape")
    expect(cell).to_have_value("0.25")
    page.keyboard.press("Control+z")
    window.shows(first, ["v", "output"])
    page.keyboard.press("Control+Shift+z")
    window.shows(second, ["v", "output"])
    page.go_back()  # the browser's own history has each of these states too
    window.shows(first, ["v", "output"])


def test_a_long_question_comes_back_with_a_reload_and_with_back(window: Explore) -> None:
    page = window.page
    window.open("/?text=a%20cat%20sat&d_model=24&cell=w_q.3.5")
    before = window.question()
    expect(typed(window)).not_to_have_value("")
    long = asked(window, lambda: typed(window).fill("9"))
    trace = f"t={window.answer(long)['trace']}"
    address_has(page, trace)
    masked = asked(window, lambda: window.field("Mask").select_option(label="none"))
    address_has(page, f"t={window.answer(masked)['trace']}")
    assert asked(window, page.reload) == masked
    assert asked(window, page.go_back) == long
    window.shows(long, ["q", "weights"])
    expect(typed(window)).to_have_value("9")
    address_has(page, trace)
    assert asked(window, page.go_back) == before
    address_lacks(page, trace)
