"""Heads that are dropped, tokens that are replaced, and what a change did."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.hands import ATTENTION, Explore, address_has, address_lacks, box, until, written
from tests.browser.pixels import alike, centres, painted, stage_cells
from tests.browser.test_change import asked, button, numbers

# Outlines of what flashes, by stage.
GATHER = """() => {
  window.lit = {};
  const note = (node) => node.matches?.(".flash") &&
    (window.lit[node.closest("article").dataset.stage] = node.firstElementChild.getAttribute("d"));
  const watch = new MutationObserver((all) => all.forEach((each) => each.addedNodes.forEach(note)));
  watch.observe(document.querySelector("#pipeline"), { childList: true, subtree: true });
}"""
CHOOSE = """(list, label) => {
  list.value = [...list.options].find((option) => option.label === label).value;
  list.dispatchEvent(new Event("change", { bubbles: true }));
}"""
DEFAULT = "The animal didn't cross the street because it was too tired."


def retype(explore: Explore, token: str, by: str) -> dict[str, Any]:
    """Double-presses a chip, types another token and takes it."""
    page = explore.page
    # What changes the numbers comes after them.
    expect(page.get_by_role("button", name="Change", exact=True)).to_be_enabled()
    page.locator(".chip", has_text=re.compile(rf"^{re.escape(token)}\d+$")).first.dblclick()
    field = page.get_by_role("textbox", name=f"In place of {token}")
    field.fill(by)
    return asked(explore, lambda: field.press("Enter"))


def thumbnail(explore: Explore, head: int, layer: int = 0) -> Locator:
    return explore.page.locator(f'.thumbnail[data-layer="{layer}"][data-head="{head}"]')


def test_a_dropped_head_adds_nothing_and_the_others_stay(explore: Explore) -> None:
    before = explore.question()
    thumbnail(explore, 2).click()
    body = asked(explore, button(explore, "Drop head L0 H2").click)
    assert body == {**before, "drop": [[0, 2]]}  # the model stays what it is
    address_has(explore.page, "drop=0.2")
    for stage in ("x", "weights", "head_outputs"):
        assert (numbers(explore, body, stage) == numbers(explore, before, stage)).all()
    concat, was = numbers(explore, body, "concat"), numbers(explore, before, "concat")
    assert (concat[..., 32:48] == 0).all()
    kept = [*range(32), *range(48, 64)]
    assert (concat[..., kept] == was[..., kept]).all()
    assert (was[..., 32:48] != 0).any()
    explore.shows(body, ["weights", "concat", "output"], place=(0, 2, 0))
    expect(explore.card("x").locator("xpath=..").get_by_role("status")).to_have_text(
        "Head L0 H2 is dropped: its columns of concat are 0."
    )
    button(explore, "Undo").click()
    expect(button(explore, "Drop head L0 H2")).to_be_visible()
    address_lacks(explore.page, "drop=")
    explore.shows(before, ["weights", "output"], place=(0, 2, 0))


def test_of_many_layers_a_head_is_dropped_and_put_back_in_its_own(explore: Explore) -> None:
    explore.open("/?text=a%20b&num_layers=2&layer=1&block=pre_norm")
    before = explore.question()
    thumbnail(explore, 1, layer=1).focus()
    body = asked(explore, lambda: explore.page.keyboard.press("Delete"))
    assert body == {**before, "drop": [[1, 1]]}
    expect(thumbnail(explore, 1, layer=1)).to_have_class(re.compile("gone"))
    explore.page.get_by_role("button", name="Change", exact=True).click()
    panel = explore.page.get_by_role("region", name="Change anything")
    panel.get_by_role("button", name="heads", exact=True).click()
    both = asked(explore, panel.get_by_role("button", name="Drop head L1 H3").click)
    assert both == {**before, "drop": [[1, 1], [1, 3]]}
    asked(explore, panel.get_by_role("button", name="Put head L1 H1 back").click)
    address_has(explore.page, "drop=1.3")
    explore.more()
    explore.page.get_by_role("button", name="put them back").click()
    address_lacks(explore.page, "drop=")
    expect(explore.page.locator(".thumbnail.gone")).to_have_count(0)


def test_a_dropped_head_that_is_gone_is_told_and_can_be_let_go(explore: Explore) -> None:
    explore.open("/?text=a%20b&drop=0.3")
    explore.field("heads").fill("2")
    notice = explore.page.locator("#notice")
    expect(notice).to_contain_text("drop names the head [0, 3]")
    explore.more()
    asked(explore, explore.page.get_by_role("button", name="put them back").click)
    address_lacks(explore.page, "drop=")
    expect(notice).to_be_empty()


def test_a_token_is_replaced_where_it_stands(explore: Explore) -> None:
    body = retype(explore, "animal", "cat")
    assert body["text"] == DEFAULT.replace("animal", "cat")
    expect(explore.sentence).to_have_value(body["text"])
    address_lacks(explore.page, "picked")
    explore.shows(body, ["x", "weights", "output"])
    button(explore, "Undo").click()
    expect(explore.sentence).to_have_value(DEFAULT)


def test_a_token_that_words_would_cut_apart_stays_one(explore: Explore) -> None:
    body = retype(explore, "it", "the cat")
    assert body["tokens"][7] == "the cat"
    assert len(body["tokens"]) == 12
    assert "text" not in body
    x = numbers(explore, body, "x")[0]
    was = numbers(explore, {**body, "tokens": None, "text": DEFAULT}, "x")[0]
    changed = (x != was).any(axis=1)
    assert changed.tolist() == [at == 7 for at in range(12)]


def test_keys_replace_a_token_of_a_batch_and_its_other_texts_stay(explore: Explore) -> None:
    page = explore.page
    explore.open("/?text=%E7%8C%AB%E5%9D%90%E7%9D%80%0A%0Aa%20dog%20sat.%0Ab&batch=1")
    strip = page.locator("#tokens .chips")
    strip.focus()
    strip.press("ArrowRight")
    strip.press("F2")
    field = page.get_by_role("textbox", name="In place of dog")
    expect(field).to_be_focused()
    field.press("Escape")
    expect(field).to_have_count(0)
    expect(strip).to_be_focused()
    strip.press("F2")
    field.fill("cat")
    body = asked(explore, lambda: field.press("Enter"))
    assert body["text"] == ["猫坐着", "a cat sat.", "b"]
    page.get_by_label("Sentence of the batch").select_option(index=0)
    body = retype(explore, "猫", "小狗")
    assert body["tokens"] == [["小狗", "坐", "着"], ["a", "cat", "sat", "."], ["b"]]
    body = retype(explore, "坐", "跑")
    assert body["tokens"][0] == ["小狗", "跑", "着"]


def test_a_token_that_is_pressed_while_an_answer_is_awaited_is_typed_when_it_comes(
    explore: Explore,
) -> None:
    """And another answer with the same token there takes nothing away that is being typed."""
    page, held = explore.page, list[Route]()
    expect(page.get_by_role("button", name="Change", exact=True)).to_be_enabled()
    page.route(ATTENTION, lambda route: held.append(route))
    asked(explore, lambda: explore.field("seed").fill("3"))
    page.locator("#tokens .chip").nth(1).dblclick()
    field = page.get_by_role("textbox", name="In place of animal")
    expect(field).to_have_count(0)
    until(page, lambda: held, "it is asked")
    held.pop().continue_()
    expect(field).to_be_focused()
    field.fill("dog")
    explore.field("Mask").evaluate(CHOOSE, "none")  # without taking the focus
    until(page, lambda: held, "it is asked")
    held.pop().continue_()
    page.unroute(ATTENTION)
    explore.shows(explore.question(), ["masked_scores"])
    expect(field).to_have_value("dog")
    body = asked(explore, lambda: field.press("Enter"))
    assert body["text"] == DEFAULT.replace("animal", "dog")


def test_a_token_of_the_context_is_replaced(explore: Explore) -> None:
    explore.open("/?text=a%20b&context=red%20blue%20green")
    body = retype(explore, "blue", "grey")
    assert (body["text"], body["context"]) == ("a b", "red grey green")


@pytest.mark.parametrize("way", ["dblclick", "F2"])
def test_names_of_given_numbers_are_not_replaced(explore: Explore, way: str) -> None:
    large = (
        "%7B%22x%22%3A%5B%5B1%2C0%5D%2C%5B0%2C1%5D%5D%2C%22tokens%22%3A%5B%22a%22%2C%22b%22%5D%7D"
    )
    explore.open(f"/?d_model=2&num_heads=1#{large}")
    chips = explore.page.locator("#tokens .chips")
    if way == "F2":
        chips.press("F2")
    else:
        chips.locator(".chip").first.dblclick()
    expect(explore.page.locator(".note")).to_contain_text("its tokens are names alone")
    chips.press("ArrowRight")
    expect(explore.page.locator(".note")).to_have_count(0)


def scale(explore: Explore) -> Locator:
    explore.drawer()
    return explore.page.get_by_role("combobox", name="Scale")


def delta(explore: Explore, stage: str) -> Locator:
    """The picture of now − before in the card of a stage."""
    return explore.card(stage).locator(".change canvas[data-layer][data-head]")


def shows_change(
    explore: Explore, before: dict[str, Any], now: dict[str, Any], stage: str, head: int = 0
) -> None:
    """Every cell has the colour of now − before, centred on zero."""
    was, cells = (
        stage_cells(explore.answer(body), stage, 0, head, 0).astype(float) for body in (before, now)
    )
    cells = cells - was
    size = float(np.nanmax(np.abs(cells)))
    wanted = painted(cells, explore.colours("diverging"), -size, size)
    rows, cols = cells.shape
    until(
        explore.page,
        lambda: alike(centres(delta(explore, stage), rows, cols), wanted),
        f"the change of {stage}",
    )


def test_the_cards_show_now_minus_before(explore: Explore) -> None:
    page = explore.page
    before = explore.question()
    expect(explore.page.get_by_role("button", name="Change", exact=True)).to_be_enabled()
    now = asked(explore, lambda: scale(explore).select_option(label="none"))
    explore.shows(now, ["weights"])
    button(explore, "Show change").click()
    expect(page.locator(".since")).to_contain_text("now minus before the last step")
    for stage in ("scaled_scores", "masked_scores", "weights", "output"):
        shows_change(explore, before, now, stage)
    for stage in ("x", "q", "scores"):
        expect(explore.card(stage)).to_contain_text("unchanged")
    expect(explore.card("weights").locator(".change .legend .low")).to_contain_text("−0.")
    trace = explore.answer(before)["trace"]
    address_has(page, f"since={trace}")

    cell = delta(explore, "scaled_scores")
    cell.scroll_into_view_if_needed()
    place = box(cell)
    page.mouse.move(place["x"] + 2, place["y"] + 2)
    was, value = (numbers(explore, body, "scaled_scores")[0, 0, 0, 0] for body in (before, now))
    told = f"{written(was)} → {written(value)} ({'+' if value > was else ''}{written(value - was)})"
    expect(explore.card("scaled_scores").locator(".change .readout")).to_contain_text(told)

    later = asked(explore, lambda: explore.field("Mask").select_option(label="none"))
    expect(page.locator(".since")).to_contain_text("now minus 2 steps ago")
    shows_change(explore, before, later, "scaled_scores")
    page.reload()
    expect(page.locator(".since")).to_contain_text("now minus the question you compare with")
    shows_change(explore, before, later, "scaled_scores")
    page.keyboard.press("Escape")
    expect(page.locator(".since")).to_be_hidden()
    explore.shows(later, ["weights", "output"])
    address_lacks(page, "since")


def test_a_mark_waits_for_what_will_change(explore: Explore) -> None:
    explore.open("/?text=a%20b%20c&d_model=8&num_heads=2&causal=false&positions=none")
    before = retype(explore, "c", "e")
    button(explore, "Show change").click()
    line = explore.page.locator(".since")
    line.get_by_role("button", name="Compare from now on").click()
    expect(line).to_contain_text("Nothing has changed since the question you compare with")
    expect(explore.card("weights")).to_contain_text("unchanged")
    thumbnail(explore, 1).click()
    now = asked(explore, button(explore, "Drop head L0 H1").click)
    shows_change(explore, before, now, "output", 1)
    for stage in ("weights", "head_outputs"):
        expect(explore.card(stage)).to_contain_text("unchanged")
    later = retype(explore, "b", "d")
    expect(explore.card("x").locator(".change .row", has_text="b/d")).to_have_count(1)
    line.get_by_role("button", name="Compare from now on").click()
    expect(line).to_contain_text("Nothing has changed")
    button(explore, "Undo").click()
    shows_change(explore, later, now, "x", 1)
    button(explore, "Show change").click()
    expect(line).to_be_hidden()


def test_other_sizes_have_no_change_to_show(explore: Explore) -> None:
    explore.open("/?text=a%20b")
    body = asked(explore, lambda: explore.sentence.fill("a b c"))
    explore.shows(body, ["weights"])
    button(explore, "Show change").click()
    expect(explore.page.locator(".since")).to_contain_text("has other sizes")
    explore.shows(body, ["weights", "output"])


def test_what_changed_flashes_once(elsewhere: Callable[..., Explore]) -> None:
    explore = elsewhere("/?text=a%20b%20c&num_heads=1&d_model=8&causal=false")
    page = explore.page
    expect(explore.page.get_by_role("button", name="Change", exact=True)).to_be_enabled()
    page.evaluate(GATHER)
    retype(explore, "b", "d")
    expect(page.locator(".flash")).to_have_count(0)
    lit = until(page, lambda: page.evaluate("window.lit"), "a flash")
    assert lit["x"] == "M0 1h8v1h-8z"
    assert lit["scores"] == "M1 0h1v1h-1zM0 1h3v1h-3zM1 2h1v1h-1z"
    assert set(lit) >= {"q", "k", "v", "weights", "output"}
    expect(page.locator(".flash")).to_have_count(0)


def test_nothing_flashes_where_motion_is_unwelcome(elsewhere: Callable[..., Explore]) -> None:
    explore = elsewhere("/?text=a%20b", reduced_motion="reduce")
    expect(explore.page.get_by_role("button", name="Change", exact=True)).to_be_enabled()
    body = asked(explore, lambda: scale(explore).select_option(label="none"))
    explore.shows(body, ["scaled_scores"])
    assert explore.page.locator(".flash").count() == 0
