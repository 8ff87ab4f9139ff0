"""What comes before the first picture and what after it: nothing moves, and nothing is missed."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.hands import SEEDED, Explore, until
from tests.browser.test_upload import drop, weights_file

Opens = Callable[..., Explore]
LATE, ALL_HEADS = "**/pages/around.js", "**/core/all-heads.js"
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
ANSWERED = re.compile("^(ready|failed|empty)$")
CONTROLS = (
    ".top :is(a, button), .ask :is(button, summary):not(.panel *, .drawer *), #tabs button, "
    ".doing > *"
)
BOXES = """(controls) => controls.map((control) => {
  const { x, y, width, height } = control.getBoundingClientRect();
  return [control.innerText.trim(), x, y, width, height];
})"""


class Held:
    """A page whose later scripts wait until they are let go."""

    def __init__(self, elsewhere: Opens, address: str, **options: object) -> None:
        self.explore = elsewhere(None, **options)
        self.routes: list[Route] = []
        self.page.route(LATE, lambda route: self.routes.append(route))
        self.page.goto(f"{self.explore.url}{address}", wait_until="commit")
        until(self.page, lambda: self.routes, "the later scripts are asked for")

    @property
    def page(self) -> Page:
        return self.explore.page

    def let_go(self) -> None:
        for route in self.routes:
            route.continue_()
        self.explore.settle()

    def controls(self) -> list[list[object]]:
        found: list[list[object]] = self.page.locator(CONTROLS).evaluate_all(BOXES)
        return found


@pytest.mark.parametrize(
    ("address", "viewport"),
    [("/", DESK), (SEEDED, DESK), ("/?lang=zh", PHONE), ("/?num_heads=5", DESK)],
)
def test_no_control_is_missing_or_moves(
    elsewhere: Opens, address: str, viewport: dict[str, int]
) -> None:
    held = Held(elsewhere, address, viewport=viewport)
    expect(held.page.locator("body")).to_have_attribute("data-status", ANSWERED)
    if "num_heads=5" not in address:  # which is refused; the chips come with a script of their own
        expect(held.page.locator("#looks .head-chip").first).to_be_visible()
    before = held.controls()
    held.let_go()
    assert held.controls() == before
    assert len(before) > 20


def test_a_cell_of_the_address_is_framed_with_the_first_picture_and_explained_after(
    elsewhere: Opens,
) -> None:
    held = Held(elsewhere, "/?cell=weights.2.1")
    held.explore.canvas("weights").wait_for()
    frame: Locator = held.explore.card("weights").locator(".pinned")
    expect(frame).to_be_visible()
    held.let_go()
    expect(held.explore.card("weights").locator(".lit.cell")).to_be_visible()
    expect(held.explore.inspector).to_contain_text("exp(")


def test_what_was_done_before_the_later_scripts_is_caught_up_with(elsewhere: Opens) -> None:
    held = Held(elsewhere, "/?text=a%20b")
    held.explore.canvas("weights").wait_for()
    held.explore.ask(lambda: held.explore.sentence.fill("c d e"))
    held.explore.more()
    expect(held.explore.field("tokenizer")).to_be_visible()
    held.page.keyboard.press("Escape")
    held.page.locator("#examples summary").click()
    held.let_go()
    expect(held.page.locator("#examples li").first).to_be_visible()
    chips = held.page.get_by_role("option", name="c0")
    expect(chips).to_have_attribute("aria-selected", "false")
    held.explore.click("weights", (1, 0), (3, 3))
    expect(held.explore.inspector).to_contain_text("d → c")


def hold(page: Page, script: str) -> list[Route]:
    """The requests for a script, which wait until they are let go."""
    routes: list[Route] = []
    page.route(script, lambda route: routes.append(route))
    return routes


def test_a_theme_that_is_chosen_before_the_first_picture_is_its_own(elsewhere: Opens) -> None:
    explore = elsewhere(None, color_scheme="light")
    held = hold(explore.page, ALL_HEADS)
    explore.page.goto(f"{explore.url}/?tab=heads", wait_until="domcontentloaded")
    until(explore.page, lambda: held, "the weights of every head are waited for")
    switch = explore.page.locator("[data-theme-switch]")
    dark = explore.page.locator('html[data-theme="dark"]')
    until(explore.page, lambda: switch.click() or dark.count(), "it is dark")  # type: ignore[func-returns-value]
    held[0].continue_()
    explore.settle()
    explore.page.get_by_role("tab", name="Stages").click()
    explore.shows(explore.question(), theme="dark")


def test_back_before_the_first_picture_leads_to_what_the_address_says(elsewhere: Opens) -> None:
    explore = elsewhere("/?text=a%20b")
    page = explore.page
    page.get_by_role("tab", name="Heads").click()
    expect(page).to_have_url(re.compile("tab=heads"))
    held = hold(page, ALL_HEADS)
    page.reload(wait_until="domcontentloaded")
    until(page, lambda: held, "the weights of every head are waited for")
    page.evaluate("history.back()")
    expect(page).not_to_have_url(re.compile("tab=heads"))
    held[0].continue_()
    explore.settle()
    expect(page.get_by_role("tab", name="Stages")).to_have_attribute("aria-selected", "true")
    expect(explore.canvas("weights")).to_be_visible()


def test_a_file_dropped_before_the_later_scripts_is_sent_with_them(elsewhere: Opens) -> None:
    held = Held(elsewhere, SEEDED)
    held.explore.canvas("weights").wait_for()
    taken = drop(held.explore, "small.safetensors", weights_file(num_heads="2"))
    assert taken == [False, True, True], "the browser leaves dragover and drop to the page"
    body = held.explore.ask(held.let_go)
    assert body["model"]["source"] == "uploaded"
    assert held.explore.shows(body)["shape"]["num_heads"] == 2


def test_what_was_changed_before_the_later_scripts_is_undone(elsewhere: Opens) -> None:
    held = Held(elsewhere, "/?text=a%20b")
    explore = held.explore
    explore.canvas("weights").wait_for()
    explore.ask(lambda: explore.field("heads").first.fill("2"))
    explore.ask(lambda: explore.field("Mask").select_option(label="none"))
    held.let_go()
    undo = held.page.get_by_role("button", name="Undo")
    for address in ("/?text=a%20b&num_heads=2", "/?text=a%20b"):
        undo.click()
        expect(held.page).to_have_url(f"{explore.url}{address}")
    expect(undo).to_be_disabled()


@pytest.mark.parametrize("opened", ["present=1&step=project.0", "stage=scores&table=true"])
def test_escape_takes_back_what_the_address_opens_and_has_not_come(
    elsewhere: Opens, opened: str
) -> None:
    held = Held(elsewhere, f"/?text=a%20b&{opened}")
    held.explore.canvas("weights").wait_for()
    held.page.keyboard.press("Escape")
    expect(held.page).to_have_url(f"{held.explore.url}/?text=a%20b")
    held.let_go()
    for place in ("#stepper", "#present", "#large"):
        expect(held.page.locator(place)).to_be_hidden()
