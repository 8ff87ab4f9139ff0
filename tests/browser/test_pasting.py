"""A question is pasted as JSON, and a line over the pictures is pressed, in a real browser."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, written
from tests.browser.pixels import stage_cells

MATRICES: dict[str, Any] = {
    "x": [[1, 0], [0, 1], [1, 1]],
    "w_q": [[1, 0], [0, 2]],
    "w_k": [[0, 1], [1, 0]],
    "w_v": [[1, 2], [3, 4]],
}


def test_a_line_is_pressed_and_matrices_are_pasted(explore: Explore) -> None:
    page = explore.page
    weights = stage_cells(explore.answer(explore.question()), "weights", 0, 0, 0)
    line = page.get_by_role("button", name="The largest weight in this row")
    line.click()
    expect(explore.value).to_have_text(written(weights[10, 1]))
    expect(line).to_have_count(0)
    address_has(page, "cell=weights.10.1")
    explore.ask(lambda: explore.field("Model").select_option("explicit"))
    page.get_by_role("button", name="Edit…").click()
    box = page.get_by_role("textbox", name="All at once, as JSON")
    alert = page.locator("label", has=box).get_by_role("alert")
    box.fill('{"w_q": 5}')
    expect(alert).to_contain_text("w_q is no list of lists")
    body = explore.ask(lambda: box.fill(json.dumps(MATRICES)))
    expect(alert).to_be_empty()
    page.get_by_role("button", name="Done").click()
    explore.shows(body, ["x", "q", "scores", "weights"])
