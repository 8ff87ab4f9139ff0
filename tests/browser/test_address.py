"""State is the URL: a default writes nothing, a reload restores everything."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.hands import ATTENTION, SEEDED, Explore, until
from tests.browser.pixels import stage_cells

SHOWN = ("x", "q", "weights", "output")


def query(explore: Explore) -> dict[str, list[str]]:
    return parse_qs(urlsplit(explore.page.url).query)


def pictures(explore: Explore) -> list[str]:
    return [explore.pixels(stage) for stage in SHOWN]


def test_the_default_question_writes_nothing_into_the_address(explore: Explore) -> None:
    expect(explore.page).to_have_url(f"{explore.url}{SEEDED}")
    explore.ask(lambda: explore.field("seed").fill("1"))
    until(explore.page, lambda: query(explore) == {"seed": ["1"]}, "the seed is in the address")
    explore.field("seed").fill("0")
    expect(explore.page).to_have_url(f"{explore.url}{SEEDED}")


def test_a_reload_and_another_window_restore_what_was_seen(
    explore: Explore, elsewhere: Callable[..., Explore]
) -> None:
    explore.ask(lambda: explore.sentence.fill("大熊猫 eats bamboo & leaves + roots?"))
    explore.ask(lambda: explore.field("seed").fill("9"))
    explore.ask(lambda: explore.field("heads").first.fill("2"))
    explore.ask(lambda: explore.field("Mask").select_option(label="none"))
    body = explore.ask(lambda: explore.field("Scale").first.select_option(label="none"))
    reply = explore.shows(body)
    explore.page.get_by_role("button", name="layer 0, head 1").click()
    explore.shows(body, place=(0, 1, 0))
    explore.click("weights", (3, 2), stage_cells(reply, "weights", 0, 1, 0).shape)
    value = explore.inspector.locator("output")
    expect(value).to_be_visible()
    seen, told, address = pictures(explore), value.text_content(), explore.page.url
    explore.page.reload()
    other = elsewhere(address.removeprefix(explore.url))
    for window in (explore, other):
        expect(window.inspector.locator("output")).to_have_text(told or "")
        until(window.page, lambda: pictures(window) == seen, "the same pictures")  # noqa: B023
        expect(window.sentence).to_have_value("大熊猫 eats bamboo & leaves + roots?")
        expect(window.field("seed")).to_have_value("9")
        expect(window.field("heads").first).to_have_value("2")
        expect(window.canvas("weights")).to_have_attribute("data-head", "1")
        assert window.question() == body
        expect(window.page).to_have_url(address)


def test_several_sentences_and_the_chosen_one_are_restored(explore: Explore) -> None:
    body = explore.ask(lambda: explore.sentence.fill("one two three\nfour five"))
    explore.shows(body)
    chooser = explore.page.get_by_role("combobox", name="Sentence of the batch")
    chooser.select_option(index=1)
    explore.shows(body, place=(0, 0, 1))
    explore.page.reload()
    expect(explore.sentence).to_have_value("one two three\nfour five")
    explore.shows(body, place=(0, 0, 1))
    expect(chooser).to_have_value("1")


def test_explicit_matrices_are_restored(explore: Explore) -> None:
    explore.ask(lambda: explore.field("Model").select_option("explicit"))
    explore.page.get_by_role("button", name="Edit…").click()
    explore.ask(
        lambda: explore.page.get_by_role("textbox", name="x", exact=True).fill("1 0 2 0\n0 1 0 3")
    )
    box = explore.page.get_by_role("textbox", name="w_v")
    body = explore.ask(lambda: box.fill("1 2\n3 4\n5 6\n7 8"))
    explore.page.get_by_role("button", name="Done").click()
    explore.shows(body, ["x", "v", "weights"])
    explore.page.reload()
    explore.canvas("weights").wait_for()
    assert explore.question() == body
    explore.shows(body, ["x", "v", "weights"])


def test_the_positions_of_explicit_matrices_are_chosen_and_restored(explore: Explore) -> None:
    explore.open("/?source=explicit&text=a%20b%20c")
    explore.more()
    positions = explore.field("positions")
    expect(positions).to_have_value("0")
    body = explore.ask(lambda: positions.select_option(label="rotary"))
    assert body["model"]["positions"] == "rotary"
    explore.shows(body, ["x", "q", "weights"])
    expect(explore.page).to_have_url(
        re.compile(r"\?text=a%20b%20c&source=explicit&positions=rotary$")
    )
    explore.page.reload()
    explore.canvas("weights").wait_for()
    assert explore.question() == body
    explore.shows(body, ["x", "q", "weights"])
    expect(explore.card("x")).to_contain_text("X=E")
    expect(explore.card("q")).to_contain_text("Q=R")


def test_back_and_forward_walk_through_what_was_done(explore: Explore) -> None:
    first = explore.question()
    explore.shows(first)
    second = explore.ask(lambda: explore.field("seed").fill("4"))
    explore.shows(second)
    explore.page.get_by_role("button", name="layer 0, head 3").click()
    explore.shows(second, place=(0, 3, 0))
    explore.page.go_back()
    explore.shows(second)
    explore.page.go_back()
    explore.shows(first)
    expect(explore.field("seed")).to_have_value("0")
    explore.page.go_forward()
    explore.page.go_forward()
    explore.shows(second, place=(0, 3, 0))


def test_typing_a_sentence_is_one_step_back(explore: Explore) -> None:
    first = explore.question()
    explore.sentence.click()
    explore.sentence.press("ControlOrMeta+a")
    explore.sentence.press_sequentially("brand new words")
    until(explore.page, lambda: explore.question()["text"] == "brand new words", "it is asked")
    explore.shows(explore.question())
    explore.page.go_back()
    expect(explore.sentence).to_have_value(first["text"])
    explore.shows(first)


@pytest.mark.parametrize(
    "address",
    [
        "/?seed=abc&head=x&cell=nonsense&causal=maybe",
        "/?head=99&layer=7&batch=5&cell=weights.500.500",
        "/?head=-1&layer=0.5&batch=-2",
        "/?cell=nothing.0.0",
        "/?stage=nothing&range=nothing",
        "/?precision=500",
        "/?source=nothing",
        "/#%7Bbroken",
        "/?source=explicit#%7B%22w_q%22%3A5%7D",
        "/#%22hi%22",
    ],
)
def test_an_address_that_means_nothing_still_opens_the_page(window: Explore, address: str) -> None:
    with window.page.expect_response(ATTENTION):
        window.page.goto(f"{window.url}{address}")
    body = window.ask(lambda: window.sentence.fill("the page still answers"))
    if body["model"]["source"] == "seeded":
        head = window.canvas("weights").get_attribute("data-head")
        window.shows(body, place=(0, int(head or 0), 0))


def test_what_an_address_asks_too_much_is_refused_in_words(window: Explore) -> None:
    window.page.goto(f"{window.url}/?num_heads=5")
    expect(
        window.page.get_by_text("5 heads do not divide d_model 64").locator("visible=true")
    ).to_be_visible()
    expect(window.field("heads").first).to_have_attribute("aria-invalid", "true")
    body = window.ask(lambda: window.field("heads").first.fill("4"))
    window.shows(body)


@pytest.mark.parametrize(
    ("address", "kept", "told"),
    [
        ("?seed=3&temperature=abc&blocked=7,5&nonsense=1", "?seed=3", "blocked=7,5, nonsense=1"),
        ('?source=explicit#{"w_q":5}', "?source=explicit", "w_q=5"),
        ('#{"x":[["one"]]}', "?source=seeded", 'x=[["one"]]'),
    ],
)
def test_what_means_nothing_is_named_and_left_out(
    window: Explore, address: str, kept: str, told: str
) -> None:
    window.open(f"/{address}")
    expect(window.page.locator("#notice")).to_contain_text(told)
    expect(window.page).to_have_url(f"{window.url}/{kept}")
    window.ask(lambda: window.sentence.fill("something new"))
    expect(window.page.locator("#notice")).to_be_empty()


def test_a_long_sentence_is_kept_where_no_server_sees_it(explore: Explore) -> None:
    text = "猫爱吃鱼 " * 200
    named = "**/api/v1/traces"  # its stages come as pictures
    body = explore.ask(lambda: explore.sentence.fill(text), named)
    until(explore.page, lambda: "#" in explore.page.url, "the sentence is in the address")
    assert urlsplit(explore.page.url).query == ""
    assert explore.ask(explore.page.reload, named) == body  # it is asked again
    expect(explore.sentence).to_have_value(text)
