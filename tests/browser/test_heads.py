"""Layers × heads: drawn from the numbers, sorted, filtered, seen together, chosen for every tab."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.hands import LONG, Explore, address_has, address_lacks, box, middle, until
from tests.browser.pixels import alike, centres, painted, stage_cells

LAYERS, HEADS, N = 3, 4, 7
TEXT = "the cat sat on the mat ."
QUESTION = f"num_layers={LAYERS}&num_heads={HEADS}&d_model=16&text={TEXT.replace(' ', '%20')}"


def open_heads(explore: Explore, more: str = "") -> Locator:
    explore.page.goto(f"{explore.url}/?tab=heads&{QUESTION}{more}", wait_until="commit")
    grid = explore.page.get_by_role("grid", name="Layer and head")
    expect(grid.get_by_role("gridcell")).to_have_count(LAYERS * HEADS)
    expect(explore.page.locator(".together canvas[data-head]")).to_be_visible()
    return grid


def tile(grid: Locator, layer: int, head: int) -> Locator:
    return grid.locator(f'[data-layer="{layer}"][data-head="{head}"]')


def reply_of(explore: Explore) -> dict[str, Any]:
    return explore.answer(explore.question())


def metrics_of(explore: Explore) -> list[dict[str, float]]:
    trace = reply_of(explore)["trace"]
    found: list[dict[str, float]] = explore.page.request.get(
        f"{explore.url}/api/v1/traces/{trace}/heads"
    ).json()["heads"]
    return found


def shows(explore: Explore, canvas: Locator, cells: np.ndarray) -> None:
    wanted = painted(cells, explore.colours("sequential"), 0, 1)
    until(
        explore.page,
        lambda: alike(centres(canvas, *cells.shape), wanted),
        "the picture follows the numbers",
    )


def test_a_tab_is_opened_by_hand_and_by_arrow_and_is_in_the_address(explore: Explore) -> None:
    page = explore.page
    page.get_by_role("tab", name="Heads").click()
    expect(page.locator(".tile")).to_have_count(4)
    expect(explore.card("weights")).to_be_hidden()
    expect(explore.inspector).to_be_visible()
    address_has(page, "tab=heads")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Stages")).to_be_focused()
    expect(explore.card("weights")).to_be_visible()
    address_lacks(page, "tab")
    page.go_back()
    expect(page.get_by_role("tab", name="Heads")).to_have_attribute("aria-selected", "true")


def test_a_first_visit_does_not_load_what_no_tab_has_opened(explore: Explore) -> None:
    assert not [r.url for r in explore.watch.requests if r.url.endswith("/heads/heads-tab.js")]


def test_every_head_of_every_layer_is_drawn_from_its_numbers(explore: Explore) -> None:
    grid = open_heads(explore)
    reply = reply_of(explore)
    for layer in range(LAYERS):
        for head in range(HEADS):
            canvas = tile(grid, layer, head).locator("canvas")
            shows(explore, canvas, stage_cells(reply, "weights", layer, head, 0))


def test_each_head_is_labelled_with_its_metrics(explore: Explore) -> None:
    grid = open_heads(explore)
    for each in metrics_of(explore):
        label = (
            f"layer {each['layer']}, head {each['head']}, entropy {each['entropy']:.2f}, "
            f"mean distance {each['distance']:.2f}, on first token {each['first']:.2f}, "
            f"on previous token {each['previous']:.2f}, on own token {each['own']:.2f}, "
            f"on earlier copies {each['duplicate_token']:.2f}, "
            f"on what followed copies (induction) {each['induction']:.2f}"
        )
        place = tile(grid, int(each["layer"]), int(each["head"]))
        expect(place).to_have_accessible_name(label)
        expect(place).to_contain_text(f"{each['entropy']:.2f}")


def test_heads_are_sorted_and_filtered_by_a_metric(explore: Explore) -> None:
    grid = open_heads(explore, "&metric=first")
    page = explore.page
    page.get_by_label("largest first").check()
    wanted = sorted(metrics_of(explore), key=lambda each: -each["first"])
    names = [f"L{each['layer']:.0f} H{each['head']:.0f}" for each in wanted]
    expect(grid.locator(".caption b")).to_have_text(names)
    bound = (wanted[4]["first"] + wanted[5]["first"]) / 2
    page.goto(page.url + f"&above={bound}", wait_until="commit")
    expect(grid.locator(".caption b")).to_have_text(names[:5])
    expect(page.get_by_text("5 of 12 heads")).to_be_visible()
    page.get_by_role("button", name="Choose all shown").click()
    expect(page.get_by_role("heading", name="Mean of 5 heads")).to_be_visible()


def test_a_head_that_is_clicked_is_selected_in_every_tab(explore: Explore) -> None:
    grid = open_heads(explore)
    tile(grid, 2, 1).locator("canvas").click()
    address_has(explore.page, "layer=2")
    expect(tile(grid, 2, 1)).to_have_attribute("aria-current", "true")
    explore.page.get_by_role("tab", name="Stages").click()
    expect(explore.canvas("weights")).to_have_attribute("data-layer", "2")
    expect(explore.canvas("weights")).to_have_attribute("data-head", "1")


def test_chosen_heads_are_seen_together_as_mean_and_maximum(explore: Explore) -> None:
    grid = open_heads(explore)
    page, reply = explore.page, reply_of(explore)
    tile(grid, 0, 1).locator(".tick").click()
    tile(grid, 2, 3).locator("canvas").click(modifiers=["Shift"])
    both = np.stack([stage_cells(reply, "weights", *place, 0) for place in ((0, 1), (2, 3))])
    large = page.locator(".together canvas")
    expect(page.get_by_role("heading", name="Mean of 2 heads")).to_be_visible()
    shows(explore, large, both.mean(axis=0))
    page.get_by_label("Several heads as").select_option("max")
    shows(explore, large, both.max(axis=0))
    address_has(page, "heads=0.1_2.3")
    page.reload(wait_until="commit")
    shows(explore, large, both.max(axis=0))
    page.get_by_role("button", name="Choose none").click()
    shows(explore, large, stage_cells(reply, "weights", 0, 0, 0))


def test_the_legend_tells_the_range_of_the_heads_together(explore: Explore) -> None:
    open_heads(explore, "&heads=0.1_2.3&range=data&causal=false")
    reply = reply_of(explore)
    both = [stage_cells(reply, "weights", *place, 0) for place in ((0, 1), (2, 3))]
    most = np.nanmax(np.mean(both, axis=0))
    high = explore.page.locator(".together .legend .high")
    expect(high).to_have_text(f"{most:.2f}".rstrip("0"))


def test_a_cell_of_the_large_picture_tells_its_number_and_its_tokens(explore: Explore) -> None:
    open_heads(explore, "&heads=0.1_2.3")
    reply = reply_of(explore)
    both = [stage_cells(reply, "weights", *place, 0)[5, 1] for place in ((0, 1), (2, 3))]
    large = explore.page.locator(".together canvas")
    explore.page.mouse.move(*middle(large, (5, 1), (N, N)))
    readout = explore.page.locator(".together .readout")
    expect(readout).to_contain_text(f"{np.mean(both):.3f}")
    expect(readout).to_contain_text("mat → cat")


def test_the_head_under_the_pointer_tells_its_metrics(explore: Explore) -> None:
    grid = open_heads(explore)
    found = {(each["layer"], each["head"]): each for each in metrics_of(explore)}
    tile(grid, 1, 2).locator("canvas").hover()
    told = explore.page.locator(".together .metrics")
    expect(told).to_contain_text("layer 1, head 2")
    expect(told).to_contain_text(f"{found[1, 2]['distance']:.3f}")


def test_heads_are_walked_chosen_and_selected_with_keys(explore: Explore) -> None:
    grid = open_heads(explore)
    page = explore.page
    tile(grid, 0, 0).focus()
    for key in ("ArrowRight", "ArrowDown", "Space", "End", "Space", "Enter"):
        page.keyboard.press(key)
    expect(tile(grid, 1, 3)).to_be_focused()
    expect(tile(grid, 1, 1)).to_have_attribute("aria-selected", "true")
    address_has(page, "heads=1.1_1.3")
    address_has(page, "layer=1&head=3")


def thumbnails_asked(explore: Explore) -> list[str]:
    """The addresses of the weights of every head that the page asked for."""
    return [r.url for r in explore.watch.requests if "/thumbnails/weights?" in r.url]


def test_an_answer_too_large_to_come_whole_shows_every_head_with_its_mask(
    elsewhere: Callable[..., Explore],
) -> None:
    words = " ".join(f"w{index}" for index in range(90))
    explore = elsewhere(f"/?num_layers=4&num_heads=12&d_model=48&text={words.replace(' ', '%20')}")
    explore.page.get_by_role("tab", name="Heads").click()
    expect(explore.page.locator(".tile:not(.absent)")).to_have_count(48)
    last = thumbnails_asked(explore)[-1]
    assert "encoding=u8" in last
    assert "batch=0" in last
    assert not [r for r in explore.watch.requests if r.url.endswith("/api/v1/attention")]
    canvas = explore.page.locator('.tile[data-layer="3"][data-head="11"] canvas')
    picture = centres(canvas, 9, 9)
    assert (picture[..., 3] == np.where(np.tri(9, k=-1) > 0, 255, 0))[np.tri(9) != np.eye(9)].all()


def test_stages_that_were_not_seen_show_what_was_chosen_meanwhile(explore: Explore) -> None:
    grid = open_heads(explore)
    tile(grid, 2, 1).click()
    page = explore.page
    page.get_by_role("tab", name="Stages").click()
    reply = reply_of(explore)
    canvas = explore.card("weights").locator("canvas[data-layer='2'][data-head='1']")
    shows(explore, canvas, stage_cells(reply, "weights", 2, 1, 0))
    thumbnail = page.locator(".thumbnail[data-layer='2'][data-head='1']")
    expect(thumbnail).to_have_attribute("aria-pressed", "true")
    shows(explore, thumbnail.locator("canvas"), stage_cells(reply, "weights", 2, 1, 0))


def test_an_address_that_opens_the_heads_asks_for_all_of_them_once(
    elsewhere: Callable[..., Explore],
) -> None:
    words = " ".join(f"w{index}" for index in range(90))
    explore = elsewhere(None)
    query = f"tab=heads&num_layers=4&num_heads=12&d_model=48&text={words.replace(' ', '%20')}"
    explore.page.goto(f"{explore.url}/?{query}", wait_until="commit")
    expect(explore.page.locator(".tile:not(.absent)")).to_have_count(48)
    assert len(thumbnails_asked(explore)) == 1
    grid = explore.page.locator("link[rel=modulepreload][href$='/heads/heads-tab.js']")
    expect(grid).to_have_count(1)


def test_a_hundred_heads_of_many_tokens_are_pictures_inside_their_card(window: Explore) -> None:
    words = "%20".join(f"w{index}" for index in range(128))
    window.open(f"/?text={words}&num_layers=12&num_heads=12&d_model=24")
    page = window.page
    card = page.locator("#heads")
    expect(card.locator("canvas:visible")).to_have_count(144)
    expect(card.locator(".thumbnail span:visible")).to_have_count(0)
    outer, inner = box(card), box(card.locator(".thumbnails"))
    assert inner["y"] + inner["height"] <= outer["y"] + outer["height"]
    assert inner["x"] + inner["width"] <= outer["x"] + outer["width"]
    last = card.get_by_role("button", name="layer 11, head 11").locator("canvas")
    coloured = "(c) => new Set(c.getContext('2d').getImageData(0, 0, 8, 8).data).size"
    until(page, lambda: last.evaluate(coloured) > 2, "the last one is drawn")


def test_of_thousands_of_heads_the_layers_near_the_selected_one_are_shown(
    window: Explore,
) -> None:
    page = window.page
    page.goto(f"{window.url}/?text=a%20b&num_layers=96&num_heads=64&layer=70", wait_until="commit")
    window.canvas("weights").wait_for(timeout=LONG)
    thumbnails = page.locator("#heads .thumbnail")
    expect(thumbnails).to_have_count(48 * 64)
    expect(page.locator("#heads")).to_contain_text("layers 46–93 of 96")
    thumbnails.last.click(timeout=LONG)
    pressed = page.locator("#heads [aria-pressed=true]")
    expect(pressed).to_have_attribute("data-layer", "93", timeout=LONG)
