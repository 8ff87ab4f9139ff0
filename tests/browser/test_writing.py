"""It writes: Decode continues the text, and what was written becomes the question."""

from __future__ import annotations

import math
import re
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore
from tests.browser.test_installed import ECHO, TEXT


def writing(explore: Explore) -> Locator:
    return explore.page.locator("#panel-decode .writing")


def field(explore: Explore, name: str) -> Locator:
    return writing(explore).get_by_label(name)


def write(explore: Explore) -> None:
    writing(explore).get_by_role("button", name="Continue the text").click()


def continued(explore: Explore, **how: object) -> dict[str, Any]:
    trace = explore.answer(explore.question())["trace"]
    address = f"{explore.url}/api/v1/traces/{trace}/continuations"
    found: dict[str, Any] = explore.page.request.post(address, data=how).json()
    return found


def open_decode(explore: Explore) -> None:
    explore.page.goto(f"{explore.url}{ECHO}&tab=decode")
    expect(writing(explore)).to_be_visible()


def test_what_is_written_is_the_question_and_one_step_to_undo(window: Explore) -> None:
    open_decode(window)
    told = continued(window, tokens=5)
    field(window, "Tokens").fill("5")
    write(window)
    expect(window.sentence).to_have_value(TEXT + told["text"])
    pieces = writing(window).get_by_role("listitem")
    expect(pieces).to_have_count(5)
    for item, piece, log in zip(
        pieces.all(), told["pieces"], told["log_probabilities"], strict=True
    ):
        expect(item).to_contain_text(piece.strip())
        expect(item).to_contain_text(re.compile(rf"{100 * math.exp(log):.0f}|\d\.\d"))
    expect(window.page.locator("#panel-decode .player")).to_contain_text("Step 6 of 6")
    window.page.get_by_role("button", name="Undo").click()
    expect(window.sentence).to_have_value(TEXT)
    expect(pieces).to_have_count(0)


def test_a_drawn_text_is_that_of_its_seed(window: Explore) -> None:
    open_decode(window)
    expect(field(window, "Seed")).to_be_disabled()
    field(window, "Temperature").fill("1.5")
    field(window, "Tokens").fill("4")
    field(window, "Seed").fill("7")
    field(window, "Among the likeliest").fill("50")
    told = continued(window, tokens=4, temperature=1.5, seed=7, top_k=50)
    field(window, "Seed").press("Enter")
    expect(writing(window).get_by_role("listitem")).to_have_count(4)
    expect(writing(window).locator(".piece")).to_have_text(
        [re.compile(re.escape(piece.strip()) + "$") for piece in told["pieces"]]
    )


def test_refusals_stand_at_their_field_and_nothing_is_lost(window: Explore) -> None:
    open_decode(window)
    field(window, "Tokens").fill("500")
    write(window)
    expect(field(window, "Tokens")).to_have_attribute("aria-invalid", "true")
    expect(writing(window).get_by_role("alert").filter(has_text="500")).to_be_visible()
    field(window, "Tokens").fill("2")
    field(window, "Temperature").fill("-1")
    write(window)
    expect(field(window, "Temperature")).to_have_attribute("aria-invalid", "true")
    expect(field(window, "Tokens")).not_to_have_attribute("aria-invalid", "true")
    expect(window.sentence).to_have_value(TEXT)


def test_more_tokens_than_fit_stay_as_they_are_asked_for(window: Explore) -> None:
    open_decode(window)
    field(window, "Tokens").fill("500")
    window.ask(lambda: window.sentence.fill(f"{TEXT} again"))
    window.settle()
    expect(field(window, "Tokens")).to_have_value("500")


def test_back_after_two_continuations_shows_the_steps_of_the_text_that_is_asked(
    window: Explore,
) -> None:
    open_decode(window)
    expect(window.page.locator("#panel-decode .rows-of canvas").first).to_be_visible()
    chips = window.page.locator("#tokens .chip")
    for _ in range(2):
        before, tokens = window.sentence.input_value(), chips.count()
        write(window)
        expect(window.sentence).not_to_have_value(before)
        expect(writing(window).get_by_role("listitem")).to_have_count(12)
        expect(window.page.locator("body")).to_have_attribute("data-status", "ready")
    window.page.go_back()
    expect(window.sentence).to_have_value(before)
    expect(chips).to_have_count(tokens)
    assert window.watch.complaints == []


def test_a_full_context_writes_no_more(window: Explore) -> None:
    open_decode(window)
    room = writing(window).get_by_text(re.compile(r"^Room for \d+ more\.$"))
    n = re.findall(r"\d+", room.inner_text())[0]
    field(window, "Tokens").fill(n)
    write(window)
    expect(writing(window)).to_contain_text("The text fills the 128 tokens")
    button = writing(window).get_by_role("button", name="Continue the text")
    expect(button).to_be_disabled()


def test_a_model_that_predicts_nothing_writes_nothing(window: Explore) -> None:
    window.page.goto(f"{window.url}/?tab=decode")
    expect(window.page.locator("#panel-decode .player")).to_be_visible()
    expect(writing(window)).to_be_hidden()
