"""What comes before the first picture and what after it: no control moves, no file is lost."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, ViewportSize, expect

from tests.browser.hands import SEEDED, Explore, until
from tests.browser.test_upload import drop, weights_file

Opens = Callable[..., Explore]
LATE, ALL_HEADS = "**/pages/late-parts.js", "**/core/all-heads.js"
DESK: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
ANSWERED = re.compile("^(ready|failed|empty)$")
CONTROLS = (
    ".top :is(a, button), .ask :is(button, summary):not(.panel *, .drawer *), #tabs button, "
    ".doing > *"
)
BOXES = """(controls) => controls.map((control) => {
  const { x, y, width, height } = control.getBoundingClientRect();
  return [control.innerText.trim(), x, y, width, height];
})"""


def hold(page: Page, script: str) -> list[Route]:
    """The requests for a script, which wait until they are let go."""
    routes: list[Route] = []
    page.route(script, lambda route: routes.append(route))
    return routes


def boxes(page: Page) -> list[list[object]]:
    found: list[list[object]] = page.locator(CONTROLS).evaluate_all(BOXES)
    return found


def test_no_control_is_missing_or_moves(elsewhere: Opens, subtests: pytest.Subtests) -> None:
    explore = elsewhere(None, is_new=True)
    page = explore.page
    for address, size in (
        ("/", DESK),
        (SEEDED, DESK),
        ("/?num_heads=5", DESK),
        ("/?lang=zh", PHONE),
    ):
        with subtests.test(address):
            page.set_viewport_size(size)
            held = hold(page, LATE)
            page.goto(f"{explore.url}{address}", wait_until="commit")
            expect(page.locator("body")).to_have_attribute("data-status", ANSWERED)
            # A refused question has no chips of heads: its drawer opens at the wrong field.
            refused = page.locator('#options [data-field="model.num_heads"] input')
            chips = page.locator("#looks .head-chip")
            expect((refused if "num_heads=5" in address else chips).first).to_be_visible()
            until(page, lambda: held, "the later scripts are asked for")  # noqa: B023
            before = boxes(page)
            held[0].continue_()
            explore.settle()
            assert boxes(page) == before
            assert len(before) > 20
            page.unroute(LATE)


def test_back_and_a_dropped_file_wait_for_the_later_scripts(elsewhere: Opens) -> None:
    explore = elsewhere("/?text=a%20b")
    page = explore.page
    explore.tab("Heads").click()
    expect(page).to_have_url(re.compile("tab=heads"))
    heads = hold(page, ALL_HEADS)
    page.reload(wait_until="domcontentloaded")
    until(page, lambda: heads, "the weights of every head are waited for")
    page.evaluate("history.back()")
    expect(page).not_to_have_url(re.compile("tab=heads"))
    heads[0].continue_()
    explore.settle()
    expect(explore.tab("Stages")).to_have_attribute("aria-selected", "true")
    expect(explore.canvas("weights")).to_be_visible()
    late = hold(page, LATE)
    page.goto(f"{explore.url}{SEEDED}", wait_until="commit")
    explore.canvas("weights").wait_for()
    until(page, lambda: late, "the later scripts are asked for")
    taken = drop(explore, "small.safetensors", weights_file(num_heads="2"))
    assert taken == [False, True, True], "the browser leaves dragover and drop to the page"
    body = explore.ask(late[0].continue_)
    assert body["model"]["source"] == "uploaded"
    assert explore.shows(body)["shape"]["num_heads"] == 2
