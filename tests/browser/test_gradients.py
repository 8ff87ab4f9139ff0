"""Gradients: what is derived, what is drawn of it, and what a hand can ask about it."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.hands import (
    Explore,
    address_has,
    address_lacks,
    box,
    fits,
    middle,
    until,
    written,
)
from tests.browser.pixels import alike, centres, painted

GRADIENTS = "**/gradients?*"
STAGES = ("x", "q", "k", "v", "scores", "masked_scores", "weights", "head_outputs", "output")


def panel(explore: Explore) -> Locator:
    return explore.page.locator("#panel-gradients")


def picture(explore: Explore, stage: str) -> Locator:
    return panel(explore).locator(f'[data-stage="{stage}"] canvas[data-layer][data-head]').first


def open_gradients(explore: Explore, more: str = "") -> None:
    explore.page.goto(f"{explore.url}/?tab=gradients{more}", wait_until="commit")
    picture(explore, "x").wait_for()


def derivatives(explore: Explore, **objective: Any) -> dict[str, Any]:
    """What the API says of the page's question, past the page."""
    trace = explore.answer(explore.question())["trace"]
    reply = explore.page.request.post(
        f"{explore.url}/api/v1/traces/{trace}/gradients", data={"objective": objective}
    )
    assert reply.ok, reply.text()
    return dict(reply.json())


def cells(reply: dict[str, Any], stage: str, layer: int = 0, head: int = 0) -> np.ndarray:
    array = np.array(reply["layers"][layer][stage], dtype=float)[0]
    return array[head] if array.ndim == 3 else array


def shows(explore: Explore, stage: str, wanted: np.ndarray) -> None:
    """Waits until every cell has the colour of its number, zero in the middle; NaN is hatched."""
    size = float(np.nanmax(np.abs(wanted))) or 1.0
    colours = painted(wanted, explore.colours("diverging"), -size, size)
    until(
        explore.page,
        lambda: alike(centres(picture(explore, stage), *wanted.shape), colours),
        f"the derivatives of {stage}",
    )


def value_of(explore: Explore) -> Locator:
    return panel(explore).locator(".choices output")


def reading(explore: Explore) -> Locator:
    return panel(explore).locator(".reading")


def press(explore: Explore, stage: str, row: int, col: int, shape: tuple[int, int]) -> None:
    canvas = picture(explore, stage)
    canvas.scroll_into_view_if_needed()
    explore.page.mouse.click(*middle(canvas, (row, col), shape))


def test_every_stage_has_its_derivatives_in_place(explore: Explore) -> None:
    explore.page.get_by_role("tab", name="Gradients").click()
    picture(explore, "x").wait_for()
    reply = derivatives(explore, kind="sum")
    closed = np.triu(np.ones((12, 12), bool), 1)
    for stage in STAGES:
        wanted = cells(reply, stage)
        if stage in {"masked_scores", "weights"}:
            wanted = np.where(closed, np.nan, wanted)
        shows(explore, stage, wanted)
    shows(explore, "w_q", np.array(reply["layers"][0]["parameters"]["w_q"]))
    expect(value_of(explore)).to_have_text(f"f = {written(reply['value'])}")
    address_has(explore.page, "tab=gradients")
    address_lacks(explore.page, "objective")


def test_a_press_on_the_output_makes_that_number_f(explore: Explore) -> None:
    open_gradients(explore)
    press(explore, "output", 9, 3, (12, 64))
    reply = derivatives(explore, kind="cell", row=9, col=3)
    expect(value_of(explore)).to_have_text(f"f = {written(reply['value'])}")
    shows(explore, "k", cells(reply, "k"))
    address_has(explore.page, "objective=output.9.3")
    explore.page.reload(wait_until="commit")
    picture(explore, "x").wait_for()
    shows(explore, "x", cells(reply, "x"))
    press(explore, "output", 9, 3, (12, 64))
    shows(explore, "x", cells(derivatives(explore, kind="sum"), "x"))
    address_lacks(explore.page, "objective")


def test_f_is_chosen_among_the_controls_too(explore: Explore) -> None:
    open_gradients(explore)
    choices = panel(explore).get_by_role("group", name="What is derived")
    choices.get_by_label("f is").select_option("half the squares of a row")
    choices.get_by_label("query").select_option("street")
    choices.get_by_label("head").select_option("2")
    reply = derivatives(explore, kind="row_norm", row=5)
    shows(explore, "v", cells(reply, "v", head=2))
    address_has(explore.page, "objective=output.5")
    choices.get_by_label("f is").select_option("one number")
    choices.get_by_label("column").fill("7")
    choices.get_by_label("column").press("Enter")
    expect(explore.page).to_have_url(re.compile(r"objective=output\.5\.7"))
    shows(explore, "v", cells(derivatives(explore, kind="cell", row=5, col=7), "v", head=2))


def test_the_derivative_under_the_pointer_is_told_and_a_press_explains_the_number(
    explore: Explore,
) -> None:
    open_gradients(explore)
    expect(reading(explore)).to_contain_text("A colour says by how much f changes")
    told = cells(derivatives(explore, kind="sum"), "weights")[9, 2]
    number = explore.answer(explore.question())["layers"][0]["weights"][0][0][9][2]
    press(explore, "weights", 9, 2, (12, 12))
    expect(reading(explore)).to_have_text(
        f"weights, too → didn't: raised by a little ε, f changes by {written(told)} ε. "
        f"It is {written(number)} now."
    )
    expect(explore.inspector.locator("output")).to_have_text(written(number))
    address_has(explore.page, "cell=weights.9.2")


def test_derivatives_are_walked_with_keys_and_read_aloud(explore: Explore) -> None:
    open_gradients(explore)
    told = cells(derivatives(explore, kind="sum"), "scores")[1, 1]
    grid = panel(explore).locator('[data-stage="scores"]').get_by_role("grid")
    expect(grid).to_have_attribute("aria-label", re.compile("^∂ scores"))
    grid.focus()
    for key in ("ArrowDown", "ArrowRight"):
        explore.page.keyboard.press(key)
    voice = panel(explore).locator(".hidden[aria-live]")
    expect(voice).to_have_text(f"∂ scores, animal → animal: {written(told)}")


def test_a_stage_is_seen_large_and_as_a_table(explore: Explore) -> None:
    open_gradients(explore)
    panel(explore).locator('[data-stage="weights"] .enlarge').click()
    dialog = explore.page.locator("dialog.derived[open]")
    expect(dialog.locator("canvas[data-layer]")).to_be_visible()
    expect(explore.page.locator("#large[open]")).to_have_count(0)
    dialog.get_by_label("show as table").check()
    told = cells(derivatives(explore, kind="sum"), "weights")
    row = dialog.get_by_role("row").nth(10)
    signed = [f"{'+' if one > 0 else ''}{written(one)}" for one in told[9, :10]]
    expect(row.get_by_role("cell")).to_have_text([*signed, "–", "–"])
    explore.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    address_lacks(explore.page, "stage=")


def test_the_jacobian_is_that_of_the_row_that_is_looked_at(explore: Explore) -> None:
    open_gradients(explore, "&objective=output.9")
    trace = explore.answer(explore.question())["trace"]

    def jacobian(row: int) -> tuple[np.ndarray, float]:
        reply = explore.page.request.get(
            f"{explore.url}/api/v1/traces/{trace}/jacobian?row={row}"
        ).json()
        seen = np.arange(12) <= row
        values = np.where(seen[:, None] & seen, np.array(reply["jacobian"]), np.nan)
        return values, reply["norm"]

    card = panel(explore).locator('[data-stage="jacobian"]')
    for row, token in ((9, "too"), (5, "street")):
        values, norm = jacobian(row)
        expect(card.get_by_role("heading")).to_have_text(f"Jacobian of the softmax: “{token}”")
        expect(card.locator("p.muted")).to_contain_text(f"its size is {written(norm)}.")
        shows(explore, "jacobian", values)
        press(explore, "scores", 5, 1, (12, 12))


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1440, 900), (1024, 900), (390, 844)])
def test_the_jacobian_stands_right_below_its_sentence(
    elsewhere: Callable[..., Explore], width: int, height: int
) -> None:
    window = elsewhere(None, viewport={"width": width, "height": height})
    open_gradients(window)
    card = panel(window).locator('[data-stage="jacobian"]')
    card.locator("canvas[data-layer]").first.wait_for()
    parts = ("header", "p.muted", ".heatmap", ".legend")
    boxes = [box(card.locator(f":scope > {part}")) for part in parts]
    gaps = [below["y"] - above["y"] - above["height"] for above, below in itertools.pairwise(boxes)]
    assert len(gaps) == len(parts) - 1
    assert all(0 <= gap < 12 for gap in gaps), gaps


def test_what_is_0_but_for_rounding_is_drawn_as_0(explore: Explore) -> None:
    open_gradients(explore, "&bias=true")
    reply = derivatives(explore, kind="sum")
    b_k = np.array([reply["layers"][0]["parameters"]["b_k"]])
    assert 0 < np.abs(b_k).max() < 1e-12
    middle = explore.colours("diverging")[127:129].mean(axis=0)

    def neutral() -> bool:
        seen = centres(picture(explore, "b_k"), 1, 64)
        return bool((seen[..., 3] == 255).all() and np.abs(seen[..., :3] - middle).max() < 6)

    until(explore.page, neutral, "a picture without colours")


def test_layers_below_and_the_block_output_are_derived(explore: Explore) -> None:
    open_gradients(explore, "&num_layers=2&block=pre_norm&objective=block_output.3.1")
    reply = derivatives(explore, kind="cell", at="block_output", row=3, col=1)
    expect(reading(explore)).to_contain_text("f, in layer 1")
    shows(explore, "x", cells(reply, "x", layer=0))
    panel(explore).get_by_role("group").get_by_label("layer").select_option("1")
    shows(explore, "block_output", cells(reply, "block_output", layer=1))
    of = panel(explore).get_by_role("group").get_by_label(re.compile("^of"))
    expect(of).to_have_value("block_output")


def test_a_context_has_derivatives(explore: Explore) -> None:
    open_gradients(explore, "&text=the%20cat%20sat&context=die%20Katze")
    reply = derivatives(explore, kind="sum")
    shows(explore, "context", np.array(reply["context"])[0])
    shows(explore, "weights", cells(reply, "weights"))


def test_an_f_beyond_a_shorter_sentence_is_brought_inside(explore: Explore) -> None:
    open_gradients(explore, "&text=a%20b%20c&objective=output.11.900")
    reply = derivatives(explore, kind="cell", row=2, col=63)
    shows(explore, "q", cells(reply, "q"))
    explore.sentence.fill("a b c d")
    shows(explore, "q", cells(until_asked(explore, row=3), "q"))


def until_asked(explore: Explore, row: int) -> dict[str, Any]:
    until(explore.page, lambda: explore.question()["text"] == "a b c d", "the new sentence")
    return derivatives(explore, kind="cell", row=row, col=63)


def test_of_a_large_answer_only_what_is_looked_at_is_derived(explore: Explore) -> None:
    words = "%20".join(f"w{index}" for index in range(30))
    large = f"&text={words}&num_layers=96&block=residual&layer=95&head=1&objective=output.29.0"
    with explore.page.expect_request(GRADIENTS) as sent:
        open_gradients(explore, large)
    body = sent.value.post_data_json
    assert (body["layers"], body["heads"]) == ([95], [1])
    reply = explore.page.request.post(sent.value.url.partition("?")[0], data=body).json()
    shows(explore, "q", np.array(reply["layers"][0]["q"], dtype=float)[0, 0])


def test_a_refusal_is_told_in_words_of_the_page(window: Explore) -> None:
    problem = {"title": "Too large", "detail": "They would take 9,000 MB.", "code": "too_large"}

    def refuse(route: Route) -> None:
        route.fulfill(status=413, content_type="application/problem+json", body=json.dumps(problem))

    window.page.route(GRADIENTS, refuse)
    window.page.goto(f"{window.url}/?tab=gradients", wait_until="commit")
    expect(panel(window).locator(".error")).to_contain_text("more than can be computed at once")


def test_a_trace_that_was_forgotten_is_named_again(window: Explore) -> None:
    asked: list[str] = []

    def forget(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) > 1:
            return route.fallback()
        body = json.dumps({"title": "Unknown", "code": "unknown_trace"})
        return route.fulfill(status=404, content_type="application/problem+json", body=body)

    window.page.route(GRADIENTS, forget)
    open_gradients(window)
    assert len(asked) == 2


@pytest.mark.parametrize("address", ["", "&lang=zh"])
def test_it_fits_a_phone_in_both_languages(elsewhere: Callable[..., Explore], address: str) -> None:
    phone = elsewhere(None, viewport={"width": 390, "height": 844})
    open_gradients(phone, f"&bias=true{address}")
    fits(phone.page, 390)
    name = "梯度" if address else "Gradients"
    expect(phone.page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
    assert phone.page.locator("#panel-gradients").text_content().count("gradients.") == 0


def test_nothing_is_asked_before_the_tab_is_opened(explore: Explore) -> None:
    urls = [request.url for request in explore.watch.requests]
    assert not [url for url in urls if "gradients" in url and not url.endswith(".css")]


def test_a_pinned_number_of_the_output_is_the_one_that_is_derived(explore: Explore) -> None:
    open_gradients(explore, "&cell=output.7.3")
    choices = panel(explore).get_by_role("group")
    choices.get_by_label("f is").select_option("one number")
    expect(explore.page).to_have_url(re.compile(r"objective=output\.7\.3"))
    expect(choices.get_by_label("column")).to_have_value("3")
