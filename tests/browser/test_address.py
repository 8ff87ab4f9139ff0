"""State is the URL in a browser: a reload, another window and the history restore what was seen."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, until, written
from tests.browser.pixels import stage_cells

SHOWN = ("x", "q", "weights", "output")


def pictures(explore: Explore) -> list[str]:
    return [explore.pixels(stage) for stage in SHOWN]


def test_a_reload_another_window_and_the_history_restore_what_was_seen(
    explore: Explore, elsewhere: Callable[..., Explore]
) -> None:
    page = explore.page
    explore.shows(explore.question(), SHOWN)
    first = pictures(explore)
    explore.ask(lambda: explore.sentence.fill("大熊猫 eats bamboo & leaves + roots?"))
    address_has(page, "roots")
    body = explore.ask(lambda: explore.field("Scale").first.select_option(label="none"))
    address_has(page, "scale=none")
    page.get_by_role("button", name="layer 0, head 1").click()
    reply = explore.shows(body, SHOWN, place=(0, 1, 0))
    n = reply["shape"]["n"]
    explore.click("weights", (3, 2), (n, n))
    number = written(stage_cells(reply, "weights", 0, 1, 0)[3, 2])
    expect(explore.value).to_have_text(number)
    address_has(page, "cell=weights.3.2")
    seen, address = pictures(explore), page.url
    page.reload()
    other = elsewhere(address.removeprefix(explore.url))
    for window in (explore, other):
        expect(window.value).to_have_text(number)
        until(window.page, lambda: pictures(window) == seen, "the same pictures")  # noqa: B023
        expect(window.sentence).to_have_value("大熊猫 eats bamboo & leaves + roots?")
        expect(window.page).to_have_url(address)
    for _ in range(4):  # the cell, the head, the scale, the sentence
        page.go_back()
    until(page, lambda: pictures(explore) == first, "the first pictures")
    for _ in range(4):
        page.go_forward()
    until(page, lambda: pictures(explore) == seen, "the last pictures")
    expect(page).to_have_url(address)
