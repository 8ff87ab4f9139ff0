"""Typing changes the answer: the last text wins, and no failure loses anything."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Any

from playwright.sync_api import Error, Route, expect

from tests.browser.hands import ATTENTION, Explore, until

BUSY: dict[str, Any] = {
    "type": "/problems/busy",
    "title": "Busy",
    "status": 503,
    "detail": "Every computing slot is taken. Try again in 2 seconds.",
    "code": "busy",
    "errors": [],
    "request_id": "1",
}


def refuse(route: Route) -> None:
    route.fulfill(
        status=503,
        content_type="application/problem+json",
        body=json.dumps(BUSY, ensure_ascii=False),
    )


def test_typing_a_sentence_draws_its_answer(explore: Explore) -> None:
    body = explore.ask(lambda: explore.sentence.fill("The cat sat on the mat"))
    reply = explore.shows(body, ["x", "weights", "output"])
    assert reply["tokens"] == [["The", "cat", "sat", "on", "the", "mat"]]
    for token in reply["tokens"][0]:
        expect(explore.page.get_by_role("listbox", name="Tokens")).to_contain_text(token)


def test_letter_by_letter_the_last_text_is_the_one_shown(explore: Explore) -> None:
    explore.sentence.fill("")
    explore.sentence.press_sequentially("I love eating pizza")
    until(explore.page, lambda: explore.question()["text"] == "I love eating pizza", "it is asked")
    explore.shows(explore.question(), ["weights"])


def test_a_late_answer_does_not_replace_a_newer_one(explore: Explore) -> None:
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.fallback()
        else:
            held.append(route)

    explore.page.route(ATTENTION, hold_the_first)
    explore.sentence.fill("slow slow slow slow slow")
    until(explore.page, lambda: held, "the first text is asked")
    late = explore.page.request.post(held[0].request.url, data=held[0].request.post_data)
    second = explore.ask(lambda: explore.sentence.fill("fast and last"))
    explore.shows(second, ["weights"])
    shown = explore.pixels("weights")
    with suppress(Error):  # the page may have let go of the request: that is as good
        held[0].fulfill(body=late.body(), headers=late.headers)
    explore.ask(lambda: explore.sentence.fill("fast and last!"))  # a round trip later
    explore.shows(explore.question(), ["weights"])
    explore.sentence.fill("fast and last")
    until(explore.page, lambda: explore.pixels("weights") == shown, "the same picture again")
    expect(explore.page.get_by_role("listbox", name="Tokens")).not_to_contain_text("slow")


def test_the_picture_of_an_old_text_is_dimmed_while_the_new_one_is_on_its_way(
    explore: Explore,
) -> None:
    held: list[Route] = []
    explore.page.route(ATTENTION, lambda route: held.append(route))
    dimmed = "(e) => Number(getComputedStyle(e).opacity) < 1"
    pipeline = explore.page.locator("#pipeline")
    explore.sentence.fill("another text that takes long")
    until(explore.page, lambda: held, "it is asked")
    until(explore.page, lambda: pipeline.evaluate(dimmed), "the old picture is dimmed")
    held[0].continue_()
    until(explore.page, lambda: not pipeline.evaluate(dimmed), "the new one is not")


def test_thumbnails_that_come_late_leave_the_answer_ready(window: Explore) -> None:
    held: list[Route] = []

    window.page.route("**/thumbnails/weights*", lambda route: held.append(route))
    words = "%20".join(f"w{i}" for i in range(160))
    window.open(f"/?text={words}&num_layers=4&num_heads=8")
    until(window.page, lambda: held, "the thumbnails are asked for")
    window.page.wait_for_timeout(300)  # longer than an answer may take before it is called slow
    expect(window.page.locator("body")).to_have_attribute("data-status", "ready")
    held[0].continue_()
    expect(window.page.locator("#heads .thumbnail")).to_have_count(32)
    expect(window.page.locator("body")).to_have_attribute("data-status", "ready")


def test_several_lines_are_a_batch_with_a_selector(explore: Explore) -> None:
    text = "The cat sat on the mat\n猫爱吃鱼"
    body = explore.ask(lambda: explore.sentence.fill(text))
    assert body["text"] == text.split("\n")
    explore.shows(body, ["x", "weights"])
    chooser = explore.page.get_by_role("combobox", name="Sentence of the batch")
    expect(chooser.get_by_role("option")).to_have_count(2)
    chooser.select_option(index=1)
    reply = explore.shows(body, ["x", "masked_scores", "weights"], place=(0, 0, 1))
    assert reply["lengths"] == [6, 4]
    explore.sentence.fill("one line again")
    expect(chooser).to_be_hidden()


def test_an_empty_text_says_so_and_recovers(explore: Explore) -> None:
    before = explore.pixels("weights")
    for blank in ("", "   ", "\n\n"):
        explore.sentence.fill(blank)
        expect(explore.page.get_by_text("Nothing to attend to yet.")).to_be_visible()
    body = explore.ask(lambda: explore.sentence.fill("back again"))
    explore.shows(body, ["weights"])
    expect(explore.page.get_by_text("Nothing to attend to yet.")).to_be_hidden()
    explore.sentence.fill("")
    explore.page.get_by_role("button", name="Use the example sentence").click()
    until(explore.page, lambda: explore.pixels("weights") == before, "the example is drawn")
    assert explore.watch.refusals == []


def test_a_busy_server_keeps_the_last_picture_and_says_what_to_do(explore: Explore) -> None:
    page, before = explore.page, explore.pixels("weights")
    page.route(ATTENTION, refuse)
    explore.sentence.fill("now it is busy")
    said = page.get_by_role("status").filter(has_text=BUSY["detail"])
    expect(said).to_be_visible()
    expect(said).to_contain_text("last good answer")
    assert explore.pixels("weights") == before
    expect(explore.sentence).to_have_value("now it is busy")
    page.unroute(ATTENTION)
    page.get_by_role("button", name="Try again").click()
    explore.shows({**explore.question(), "text": "now it is busy"}, ["weights"])
    expect(said).to_be_hidden()


def test_without_a_server_nothing_typed_is_lost(explore: Explore) -> None:
    page, before = explore.page, explore.pixels("weights")
    page.route(ATTENTION, lambda route: route.abort("connectionrefused"))
    explore.sentence.fill("nobody is there")
    said = page.get_by_role("status").filter(has_text="The server does not answer.")
    expect(said).to_be_visible()
    assert explore.pixels("weights") == before
    expect(explore.sentence).to_have_value("nobody is there")
    page.unroute(ATTENTION)
    body = explore.ask(lambda: explore.sentence.fill("somebody is there"))
    explore.shows(body, ["weights"])
    expect(said).to_be_hidden()


def test_a_server_that_is_gone_is_asked_again_until_it_answers(explore: Explore) -> None:
    page, before = explore.page, explore.pixels("weights")
    tried: list[float] = []

    def gone(route: Route) -> None:
        tried.append(time.monotonic())
        route.abort("connectionrefused")

    page.route(ATTENTION, gone)
    explore.sentence.fill("gone and back again")
    said = page.locator("#notice.offline")
    expect(said).to_contain_text("The server does not answer.")
    words = said.locator("strong").element_handle()
    until(page, lambda: len(tried) >= 3, "it is asked again by itself")
    assert tried[2] - tried[1] > tried[1] - tried[0] > 0.9
    assert words.is_visible(), "a second failure is not announced again"
    assert explore.pixels("weights") == before
    page.unroute(ATTENTION)
    expect(said).to_be_hidden()
    explore.shows({**explore.question(), "text": "gone and back again"}, ["weights"])


def test_a_first_question_that_fails_can_be_asked_again(explore: Explore) -> None:
    page = explore.page
    page.route(ATTENTION, refuse)
    page.reload()
    expect(page.get_by_text(BUSY["detail"])).to_be_visible()
    page.unroute(ATTENTION)
    page.get_by_role("button", name="Try again").click()
    explore.canvas("weights").wait_for()
    explore.shows(explore.question(), ["weights"])


def test_a_reply_that_is_no_problem_document_is_told_too(explore: Explore) -> None:
    explore.page.route(
        ATTENTION, lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>")
    )
    explore.sentence.fill("behind a proxy")
    expect(explore.page.get_by_role("button", name="Try again")).to_be_visible()


def test_a_text_that_looks_like_markup_stays_text(explore: Explore) -> None:
    text = "<img src=x onerror=alert(1)> & <b>bold</b>"
    body = explore.ask(lambda: explore.sentence.fill(text))
    reply: dict[str, Any] = explore.shows(body, ["weights"])
    assert reply["tokens"][0][:2] == ["<", "img"]
    expect(explore.page.locator("main img")).to_have_count(0)
