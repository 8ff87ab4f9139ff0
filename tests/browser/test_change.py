"""Changing anything: numbers of x and of the parameters, with undo, redo and an address for all."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Request, Route, expect

from tests.browser.hands import ATTENTION, STAGES, Explore, address_has, until

SMALL = "/?text=a%20b%20c&d_model=4&num_heads=2"


def typed(explore: Explore) -> Locator:
    """The number of the pinned cell."""
    return explore.page.get_by_label("Change this number").get_by_role("textbox")


def is_question(request: Request) -> bool:
    """Not what the page asks of parameters for itself."""
    is_one = request.url.endswith("/api/v1/attention")
    return is_one and "parameters" not in json.loads(request.post_data or "{}")


KEYS = """(field, texts) => texts.forEach((text) => {
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
})"""


def asked(explore: Explore, act: Callable[[], Any]) -> dict[str, Any]:
    """The body of the question that an act sends."""
    with explore.page.expect_request(is_question) as sent:
        act()
    body: dict[str, Any] = json.loads(sent.value.post_data or "{}")
    return body


def button(explore: Explore, name: str) -> Locator:
    return explore.page.get_by_role("button", name=name)


def numbers(explore: Explore, body: dict[str, Any], stage: str) -> np.ndarray:
    return np.array(explore.answer(body)["layers"][0][stage], dtype=float)


def test_a_number_of_x_is_typed_and_all_that_follows_is_computed(explore: Explore) -> None:
    before = explore.question()
    explore.click("x", (3, 5), (12, 64))
    body = asked(explore, lambda: typed(explore).fill("4"))
    x, was = np.array(body["x"]), numbers(explore, before, "x")[0]
    assert x[3, 5] == 4
    x[3, 5] = was[3, 5]
    assert (x == was).all()
    assert body["tokens"][3] == "cross"
    assert body["model"] == before["model"]
    explore.shows(body, ["x", "q", "k", "v", "weights", "output"])
    expect(explore.inspector).to_contain_text("4.000")


def test_numbers_of_x_are_given_whatever_the_positions(explore: Explore) -> None:
    for positions in ("sinusoidal", "rotary", "alibi"):
        explore.open(f"{SMALL}&positions={positions}&cell=x.1.2")
        formula = explore.card("x").locator(".formula")
        expect(formula).to_have_text("X=E+P" if positions == "sinusoidal" else "X=E")
        body = asked(explore, lambda: typed(explore).fill("4"))
        assert body["model"]["positions"] == positions
        explore.shows(body, ["x", "q", "weights"])
        expect(formula).to_have_text("X")


def test_a_number_of_a_seeded_matrix_makes_the_weights_explicit(explore: Explore) -> None:
    explore.open(f"{SMALL}&bias=true&cell=w_k.1.2&head=1")
    before = explore.question()
    expect(typed(explore)).not_to_have_value("")
    body = asked(explore, lambda: typed(explore).fill("−1.5"))
    was = explore.answer({**before, "parameters": True})["layers"][0]["parameters"]
    assert body["model"]["source"] == "explicit"
    assert body["model"]["w_k"][1][2] == -1.5
    body["model"]["w_k"][1][2] = was["w_k"][1][2]
    assert {name: body["model"][name] for name in was} == was
    assert body["text"] == before["text"]
    for stage in ("x", "weights", "output"):  # with the old number back, nothing has changed
        assert (numbers(explore, body, stage) == numbers(explore, before, stage)).all()
    body["model"]["w_k"][1][2] = -1.5
    explore.shows(body, ["k", "weights", "output"], place=(0, 1, 0))
    expect(explore.field("Model")).to_have_value("explicit")


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rotary", "alibi"])
def test_words_stay_words_and_others_are_typed_with_the_changed_weights(
    explore: Explore, positions: str
) -> None:
    explore.open(f"{SMALL}&positions={positions}&seed=3&cell=w_q.0.0")
    before = explore.question()
    expect(typed(explore)).not_to_have_value("")
    body = asked(explore, lambda: typed(explore).fill("2"))
    assert (body["text"], "x" in body, "tokens" in body) == ("a b c", False, False)
    assert (body["model"]["seed"], body["model"]["positions"]) == (3, positions)
    was = explore.answer({**before, "parameters": True})["layers"][0]["parameters"]["w_q"]
    same = {**body, "model": {**body["model"], "w_q": was}}
    for stage in STAGES:
        one, other = numbers(explore, same, stage), numbers(explore, before, stage)
        np.testing.assert_array_equal(one, other, err_msg=stage)
    expect(explore.sentence).to_have_value("a b c")
    next_one = asked(explore, lambda: explore.sentence.fill("d e f g"))
    assert next_one == {**body, "text": "d e f g"}
    explore.shows(next_one, ["x", "q", "weights", "output"])


def test_another_sentence_is_typed_with_large_weights_that_were_changed(explore: Explore) -> None:
    explore.open("/?cell=w_q.3.5")
    expect(typed(explore)).not_to_have_value("")
    body = asked(explore, lambda: typed(explore).fill("9"))
    other = asked(explore, lambda: explore.sentence.fill("A cat sat down."))
    assert other == {**body, "text": "A cat sat down."}
    explore.shows(other, ["x", "q", "weights", "output"])
    trace = explore.answer(other)["trace"]
    until(explore.page, lambda: f"t={trace}" in explore.page.url, "the trace in the address")
    assert asked(explore, explore.page.reload) == other
    expect(explore.sentence).to_have_value("A cat sat down.")


def test_sentences_of_different_lengths_keep_their_words_too(explore: Explore) -> None:
    explore.open("/?text=a%20b%0Ac%20d%20e&context=f%0Ag%20h&d_model=4&num_heads=2&cell=w_q.0.0")
    expect(typed(explore)).not_to_have_value("")
    body = asked(explore, lambda: typed(explore).fill("1"))
    assert (body["text"], body["context"]) == (["a b", "c d e"], ["f", "g h"])
    explore.shows(body, ["x", "q", "weights", "output"])


def test_a_small_matrix_is_a_grid_that_arrows_walk_through(explore: Explore) -> None:
    page = explore.page
    explore.open("/?source=explicit&text=a%20b")
    explore.page.get_by_role("button", name="Change", exact=True).click()
    panel = page.get_by_role("region", name="Change anything")
    panel.get_by_role("button", name="w_v").click()
    cell = panel.get_by_role("textbox", name="w_v · d_model 0 · kv_head·d_v 0")
    body = asked(explore, lambda: cell.fill("0.25"))
    assert body["model"]["w_v"][0] == [0.25, 0, 0, 0]
    cell.press("Enter")
    page.keyboard.press("ArrowRight")
    body = asked(explore, lambda: page.keyboard.type("7"))
    assert body["model"]["w_v"][1] == [0, 7, 0, 0]
    explore.shows(body, ["v", "head_outputs", "output"])
    expect(explore.inspector).to_contain_text("7.000")
    cell.fill("nonsense")
    expect(cell).to_have_attribute("aria-invalid", "true")
    cell.press("Escape")
    expect(cell).to_have_value("0.25")


def test_a_large_matrix_is_a_picture_whose_cells_are_picked(explore: Explore) -> None:
    explore.open("/?change=w_o")
    picture = explore.page.get_by_role("region", name="Change anything").get_by_role("grid")
    expect(picture).to_have_attribute("aria-rowcount", "64")
    picture.focus()
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        picture.press(key)
    expect(typed(explore)).not_to_have_value("")
    body = asked(explore, lambda: typed(explore).fill("3"))
    assert body["model"]["w_o"][1][1] == 3
    explore.shows(body, ["concat", "output"])


def test_every_change_is_undone_and_redone(explore: Explore) -> None:
    page = explore.page
    explore.open("/?source=explicit&text=a%20b&cell=w_q.0.1")
    first = explore.question()
    expect(button(explore, "Undo")).to_be_hidden()  # there is nothing to undo
    changed = asked(explore, lambda: typed(explore).fill("5"))
    typed(explore).press("Enter")
    masked = asked(explore, lambda: explore.field("Mask").select_option(label="none"))
    assert masked["causal"] is False
    explore.shows(masked)
    page.keyboard.press("Control+z")
    explore.shows(changed, ["q", "weights"])
    typed(explore).focus()
    page.keyboard.press("Control+z")
    expect(typed(explore)).to_have_value("0")
    explore.shows(first, ["q", "weights"])
    page.keyboard.press("Control+Shift+z")
    explore.shows(changed, ["q", "weights"])
    button(explore, "Redo").click()
    explore.shows(masked, ["weights"])
    expect(button(explore, "Redo")).to_be_disabled()
    page.go_back()  # the browser's own history has each of these states too
    explore.shows(changed, ["q", "weights"])


def test_what_is_typed_in_one_go_is_one_step(explore: Explore) -> None:
    explore.open("/?source=explicit&text=a%20b&cell=w_q.0.1")
    first = explore.question()
    typed(explore).focus()
    # All keys at once: a hand's are 150 ms apart at the most, those of a busy machine may not be.
    body = asked(explore, lambda: typed(explore).evaluate(KEYS, ["1", "12", "12.", "12.5"]))
    assert body["model"]["w_q"][0][1] == 12.5
    button(explore, "Undo").click()
    explore.shows(first, ["q"])
    expect(button(explore, "Undo")).to_be_disabled()


def test_what_is_typed_back_is_no_step_of_undo(explore: Explore) -> None:
    explore.open("/?source=explicit&text=a%20b&cell=w_q.0.1")
    first = explore.question()
    explore.shows(asked(explore, lambda: typed(explore).fill("5")), ["q"])
    explore.drawer()
    temperature = explore.page.get_by_role("spinbutton", name="Temperature")
    asked(explore, lambda: temperature.fill("2"))
    temperature.press("Enter")
    temperature.fill("1")
    temperature.press("Enter")
    button(explore, "Undo").click()
    expect(typed(explore)).to_have_value("0")
    explore.shows(first, ["q", "weights"])
    expect(button(explore, "Undo")).to_be_disabled()


def test_a_question_too_long_for_an_address_is_kept_by_its_trace(explore: Explore) -> None:
    page = explore.page
    explore.open("/?cell=w_q.3.5&precision=4")
    before = explore.question()
    expect(typed(explore)).not_to_have_value("")
    body = asked(explore, lambda: typed(explore).fill("9"))
    trace = explore.answer(body)["trace"]
    until(page, lambda: f"t={trace}" in page.url, "the trace in the address")
    assert len(page.url) < 300
    second = asked(explore, lambda: typed(explore).fill("8"))
    explore.shows(second, ["q", "weights"])
    again = asked(explore, page.reload)
    assert again == second
    explore.shows(again, ["q", "weights"])
    expect(typed(explore)).to_have_value("8")
    assert asked(explore, page.go_back) == before


def test_a_kept_question_bears_its_trace_however_it_was_typed(explore: Explore) -> None:
    page = explore.page
    explore.open("/?cell=w_q.3.5")
    expect(typed(explore)).not_to_have_value("")
    body = asked(explore, lambda: typed(explore).fill("9"))
    address = f"t={explore.answer(body)['trace']}"
    until(page, lambda: address in page.url, "the trace in the address")
    explore.sentence.press("End")
    explore.sentence.press("Enter")  # an empty line more asks the same
    until(page, lambda: address in page.url, "the same trace in the address")
    asked(explore, lambda: explore.sentence.fill("A cat sat."))
    explore.sentence.fill(body["text"])  # its answer is remembered
    until(page, lambda: address in page.url, "the first trace in the address")
    assert asked(explore, page.reload) == body


@pytest.mark.parametrize("refused", ["empty", "heads"])
def test_a_reload_keeps_a_long_question_that_has_no_answer(explore: Explore, refused: str) -> None:
    page = explore.page
    explore.open("/?cell=w_q.3.5")
    expect(typed(explore)).not_to_have_value("")
    body = asked(explore, lambda: typed(explore).fill("9"))
    until(page, lambda: f"t={explore.answer(body)['trace']}" in page.url, "the trace")
    if refused == "empty":
        explore.sentence.fill("")
    else:
        explore.field("heads").fill("7")
    until(page, lambda: "t=new-" in page.url, "a name of the tab's own")
    page.reload()
    expect(explore.sentence).to_have_value("" if refused == "empty" else body["text"])
    if refused == "heads":
        assert asked(explore, lambda: explore.field("heads").fill("4")) == body
    again = asked(explore, lambda: explore.sentence.fill("A cat"))
    assert again == {**body, "text": "A cat"}


def test_steps_overtaken_before_their_answer_come_back_after_a_reload(explore: Explore) -> None:
    page = explore.page
    explore.open("/?cell=w_q.3.5")
    expect(typed(explore)).not_to_have_value("")
    body = asked(explore, lambda: typed(explore).fill("9"))
    until(page, lambda: f"t={explore.answer(body)['trace']}" in page.url, "the trace")
    page.route("**/api/v1/attention", lambda route: None)  # no answer comes
    for number in ("8", "7"):
        typed(explore).fill(number)
        typed(explore).press("Enter")
    page.unroute("**/api/v1/attention")
    again = asked(explore, page.reload)
    assert again["model"]["w_q"][3][5] == 7
    page.go_back()
    expect(typed(explore)).to_have_value("8")


def test_several_layers_say_why_and_become_one(explore: Explore) -> None:
    explore.open("/?num_layers=2&positions=alibi&cell=w_q.0.0&text=a%20b")
    box = explore.page.get_by_label("Change this number")
    expect(box).to_contain_text("explicit weights are one layer")
    expect(typed(explore)).to_be_disabled()
    body = asked(explore, lambda: box.get_by_role("button").click())
    assert body["model"]["num_layers"] == 1
    expect(typed(explore)).to_be_enabled()
    model = asked(explore, lambda: typed(explore).fill("1"))["model"]
    assert (model["source"], model["positions"]) == ("explicit", "alibi")


def test_sentences_of_different_lengths_have_no_common_x(explore: Explore) -> None:
    explore.open("/?text=a%20b%0Ac%20d%20e&batch=1&cell=x.2.0")
    box = explore.page.get_by_label("Change this number")
    expect(box).to_contain_text("the sentences differ in length")
    assert asked(explore, lambda: box.get_by_role("button").click())["text"] == "c d e"
    body = asked(explore, lambda: typed(explore).fill("1"))
    assert np.array(body["x"]).shape == (3, 64)
    assert body["x"][2][0] == 1


def test_what_is_changed_is_in_the_address(elsewhere: Callable[..., Explore]) -> None:
    explore = elsewhere("/?change=b_q&bias=true&lang=zh&d_model=8&num_heads=2")
    panel = explore.page.get_by_role("region", name="随意修改")
    expect(panel.get_by_role("textbox")).to_have_count(8)
    expect(panel.get_by_role("button", name="b_q")).to_have_attribute("aria-pressed", "true")


def test_back_after_a_reload_restores_a_question_that_was_kept(explore: Explore) -> None:
    page = explore.page
    explore.open("/?cell=w_q.3.5")
    expect(typed(explore)).not_to_have_value("")
    long = asked(explore, lambda: typed(explore).fill("9"))
    trace = explore.answer(long)["trace"]
    until(page, lambda: f"t={trace}" in page.url, "the trace in the address")
    asked(explore, lambda: explore.field("Mask").select_option(label="none"))
    until(page, lambda: f"t={trace}" not in page.url and "t=new" not in page.url, "its own trace")
    asked(explore, page.reload)
    assert asked(explore, page.go_back) == long
    explore.shows(long, ["q", "weights"])
    expect(typed(explore)).to_have_value("9")


def test_an_answer_that_comes_after_back_leaves_the_address_alone(explore: Explore) -> None:
    page = explore.page
    explore.open("/?cell=w_q.3.5")
    expect(typed(explore)).not_to_have_value("")
    long = asked(explore, lambda: typed(explore).fill("9"))
    trace = explore.answer(long)["trace"]
    until(page, lambda: f"t={trace}" in page.url, "the trace in the address")
    asked(explore, lambda: explore.field("Mask").select_option(label="none"))
    until(page, lambda: f"t={trace}" not in page.url and "t=new" not in page.url, "its own trace")
    held: list[Route] = []
    page.route(ATTENTION, lambda route: held.append(route))
    asked(explore, page.reload)
    shared = f"**/api/v1/traces/{trace}/question*"
    opened: list[Route] = []
    page.route(shared, lambda route: opened.append(route))
    page.go_back(wait_until="commit")
    until(page, lambda: held and opened, "both on their way")
    page.unroute(ATTENTION)
    with page.expect_response(ATTENTION):
        held[0].continue_()
    explore.canvas("weights").wait_for()
    address_has(page, f"t={trace}")
    assert asked(explore, opened[0].continue_) == long
    page.unroute(shared)
    expect(typed(explore)).to_have_value("9")


def test_one_layer_of_several_is_taken_by_itself(explore: Explore) -> None:
    explore.open("/?source=crafted&name=induction&text=a%20b%20c%20a&layer=1&cell=w_q.0.0")
    before = explore.answer(explore.question())["layers"][1]
    box = explore.page.get_by_label("Change this number")
    body = asked(explore, lambda: box.get_by_role("button", name="Take layer 1").click())
    assert body["model"]["source"] == "explicit"
    after = explore.answer(body)["layers"][0]
    for stage in ("x", "q", "weights", "output"):
        assert np.allclose(
            np.array(after[stage], float), np.array(before[stage], float), atol=1e-12
        )
    expect(typed(explore)).to_be_enabled()
    explore.shows(asked(explore, lambda: typed(explore).fill("2")), ["q", "weights"])


def test_a_refused_change_is_taken_back(explore: Explore) -> None:
    explore.open("/?text=a%20b%20c")
    first = explore.question()
    asked(explore, lambda: explore.field("heads").first.fill("5"))
    expect(explore.page.get_by_role("alert").filter(has_text="64")).to_be_visible()
    button(explore, "Undo").click()
    explore.shows(first, ["weights"])
    expect(explore.field("heads").first).to_have_value("4")


def test_what_is_no_number_is_said_and_a_comma_is_read(explore: Explore) -> None:
    explore.click("x", (3, 5), (12, 64))
    for text in ("0x10", "1e999", "many", "1,2,3"):
        typed(explore).fill(text)
        expect(explore.page.locator("#number")).to_contain_text("That is no number")
    body = asked(explore, lambda: typed(explore).fill("1,5"))
    assert body["x"][3][5] == 1.5
    expect(explore.page.locator("#number")).not_to_contain_text("That is no number")
