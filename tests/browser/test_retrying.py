"""A server that is gone is asked again at longer and longer intervals, by the page's own clock."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.browser.hands import ATTENTION, Explore, until


def test_it_is_asked_again_after_1_2_4_8_and_then_every_15_seconds(window: Explore) -> None:
    page = window.page
    page.clock.install(time="2030-01-01T00:00")
    page.clock.resume()  # the pages of all tests have one clock
    window.open()
    page.clock.pause_at("2030-01-01T01:00")  # from here on time passes where the test says so
    tried: list[int] = []

    def gone(route: Route) -> None:
        tried.append(len(tried))
        route.abort("connectionrefused")

    page.route(ATTENTION, gone)
    window.sentence.fill("is anybody there")
    page.clock.run_for(200)
    for count, seconds in enumerate((1, 2, 4, 8, 15, 15), start=1):
        until(page, lambda: len(tried) == count, f"attempt {count}")  # noqa: B023
        expect(page.locator("#notice.offline")).to_be_visible()
        page.wait_for_timeout(100)  # the refusal reaches the page
        page.clock.run_for(1000 * seconds - 1)
        assert len(tried) == count, f"not before {seconds} s"
        page.clock.run_for(1)
    until(page, lambda: len(tried) == 7, "the last attempt")


def test_after_an_answer_the_pauses_begin_anew(window: Explore) -> None:
    page = window.page
    page.clock.install(time="2030-01-01T00:00")
    page.clock.resume()  # the pages of all tests have one clock
    window.open()
    page.clock.pause_at("2030-01-01T01:00")  # from here on time passes where the test says so
    tried: list[str] = []

    def gone(route: Route) -> None:
        tried.append(route.request.post_data or "")
        route.abort("connectionrefused")

    for text in ("gone once", "gone twice"):
        tried.clear()
        page.route(ATTENTION, gone)
        window.sentence.fill(text)
        page.clock.run_for(200)
        until(page, lambda: len(tried) == 1, "it is asked")
        expect(page.locator("#notice.offline")).to_be_visible()
        page.wait_for_timeout(100)
        page.clock.run_for(1000)
        until(page, lambda: len(tried) == 2, "and again after a second")
        page.unroute(ATTENTION)
        expect(page.locator("#notice.offline")).to_be_visible()
        page.wait_for_timeout(100)
        page.clock.run_for(2000)
        expect(page.locator("#notice.offline")).to_have_count(0)
        assert all(text in body for body in tried)


def test_a_tab_whose_script_finds_no_server_opens_when_there_is_one(
    elsewhere: Callable[..., Explore],
) -> None:
    page = elsewhere().page
    panel = page.locator("#panel-lines")
    page.route("**/lines/lines-tab.js", lambda route: route.abort("connectionrefused"))
    page.get_by_role("tab", name="Lines").click()
    expect(panel.get_by_role("status")).to_contain_text("It is asked again by itself")
    page.unroute("**/lines/lines-tab.js")
    expect(panel.locator("canvas").first).to_be_visible()
    expect(panel).not_to_contain_text("asked again")


def test_a_press_that_finds_no_server_is_done_when_there_is_one(
    elsewhere: Callable[..., Explore],
) -> None:
    page = elsewhere().page
    page.route("**/share/share-dialog.js", lambda route: route.abort("connectionrefused"))
    with page.expect_request("**/share/share-dialog.js"):
        page.get_by_role("button", name="Share & export", exact=True).click()
    page.unroute("**/share/share-dialog.js")
    expect(page.get_by_role("dialog", name="Share & export")).to_be_visible()


def test_a_comparison_that_finds_no_server_comes_when_there_is_one(
    elsewhere: Callable[..., Explore],
) -> None:
    window = elsewhere("/?num_layers=2")
    page = window.page
    page.route("**/change/changed-heads.js", lambda route: route.abort("connectionrefused"))
    window.ask(lambda: window.field("Scale").first.select_option(label="none"))
    page.get_by_role("tab", name="Heads").click()
    with page.expect_request("**/change/changed-heads.js"):
        page.get_by_role("button", name="Show change", exact=True).click()
    page.unroute("**/change/changed-heads.js")
    expect(page.locator(".board.change")).to_be_visible()


def test_a_page_of_an_older_version_asks_no_more_and_says_reload(
    elsewhere: Callable[..., Explore],
) -> None:
    page = elsewhere().page
    asked: list[str] = []

    def unknown(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=404, json={"title": "Not found"})

    page.route("**/static/**", unknown)
    page.get_by_role("tab", name="Lines").click()
    expect(page.locator("#panel-lines")).to_have_text(
        "There is a new version of this page: reload."
    )
    once = len(asked)
    page.wait_for_timeout(1300)  # a server that is gone would have been asked again
    assert len(asked) == once
    page.unroute("**/static/**")
    page.locator("#notice").get_by_role("button", name="Reload").click()
    expect(page.locator("#panel-lines canvas").first).to_be_visible()


def gone(route: Route) -> None:
    """What the page asks whether its script is still there is answered with no."""
    if route.request.method == "HEAD":
        route.fulfill(status=404)
    else:
        route.continue_()


@pytest.mark.parametrize(
    ("address", "script"),
    [(f"/?t={'0' * 32}", "**/core/address/short-link.js"), ("/?tab=heads", "**/core/all-heads.js")],
)
def test_a_page_that_is_replaced_before_its_first_picture_says_reload(
    elsewhere: Callable[..., Explore], address: str, script: str
) -> None:
    window = elsewhere(None)
    page = window.page
    page.route(script, lambda route: route.fulfill(status=404))
    page.route("**/joined/explore.js", gone)
    page.goto(f"{window.url}{address}", wait_until="commit")
    expect(page.locator("#notice")).to_contain_text("There is a new version of this page: reload.")
    expect(page.locator("#notice .ignored")).to_have_count(0)
    expect(page).to_have_url(f"{window.url}{address}")


@pytest.mark.parametrize(
    ("name", "script", "place"),
    [
        ("Step by step", "stepper", "#stepper"),
        ("Present", "presentation", "#present"),
        ("Enlarge scores", "large-stage", "#large"),
    ],
)
def test_escape_takes_back_what_is_still_on_its_way(
    elsewhere: Callable[..., Explore], name: str, script: str, place: str
) -> None:
    page = elsewhere().page
    held: list[Route] = []
    page.route(f"**/{script}.js", lambda route: held.append(route))
    before = page.url
    page.get_by_role("button", name=name, exact=True).click()
    until(page, lambda: held, "the script is asked for")
    expect(page).not_to_have_url(before)
    page.keyboard.press("Escape")
    expect(page).to_have_url(before)
    with page.expect_response(f"**/{script}.js"):
        held[0].continue_()
    page.wait_for_timeout(100)  # it is run
    expect(page.locator(place)).to_be_hidden()
    expect(page).to_have_url(before)
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.locator(place)).to_be_visible()
