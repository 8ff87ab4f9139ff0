"""Every stage is drawn, and every cell has the colour of its number."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import expect

from tests.browser.hands import STAGES, Explore, address_has, until
from tests.browser.pixels import stage_cells


def test_the_page_opens_with_every_stage_drawn_and_no_complaint(explore: Explore) -> None:
    reply = explore.answer(explore.question())
    for stage in STAGES:
        rows, cols = stage_cells(reply, stage, 0, 0, 0).shape
        picture = explore.seen(stage, rows, cols)
        assert len(np.unique(picture.reshape(-1, 4), axis=0)) > 10, f"{stage} is blank"
        expect(explore.card(stage).get_by_role("heading")).to_be_visible()
        expect(explore.card(stage).locator("math")).to_have_count(1)
    assert explore.watch.refusals == []
    assert explore.watch.troubles() == []


def test_nothing_is_asked_of_another_origin_and_the_policy_forbids_it(window: Explore) -> None:
    response = window.page.goto(window.url)
    assert response is not None
    policy = response.header_value("content-security-policy") or ""
    assert "default-src 'self'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    window.canvas("weights").wait_for()
    kinds = {request.resource_type for request in window.watch.requests}
    assert kinds >= {"document", "script", "stylesheet", "fetch"}
    assert window.watch.outside() == []
    assert window.page.evaluate("window.violations") == []


def test_the_page_asks_the_default_question_once(explore: Explore) -> None:
    asked = [r for r in explore.watch.requests if r.url.endswith("/api/v1/attention")]
    assert len(asked) == 1
    body = explore.question()
    assert body["text"] == "The animal didn't cross the street because it was too tired."
    assert body["model"]["source"] == "seeded"
    expect(explore.sentence).to_have_value(body["text"])


def test_each_cell_of_every_stage_has_the_colour_of_its_number(explore: Explore) -> None:
    explore.shows(explore.question(), STAGES)


def test_masked_cells_are_hatched_and_unlike_zero(explore: Explore) -> None:
    reply = explore.answer(explore.question())
    n = reply["shape"]["n"]
    photo = explore.photograph(explore.canvas("weights"))
    zero = explore.colours("sequential")[0]

    def inside(row: int, col: int) -> np.ndarray:
        high, wide = photo.shape[0] / n, photo.shape[1] / n
        rows = slice(int(row * high) + 1, int((row + 1) * high) - 1)
        return photo[rows, int(col * wide) + 1 : int((col + 1) * wide) - 1].reshape(-1, 3)

    masked, opened = inside(2, 9), inside(9, 2)
    assert len(np.unique(masked, axis=0)) > 1, "a masked cell is a plain colour"
    assert len(np.unique(opened, axis=0)) == 1, "an open cell is not one colour"
    assert (np.abs(masked - zero).sum(axis=1) > 10).mean() > 0.1
    assert explore.seen("weights", n, n)[2, 9, 3] == 0


def test_zero_is_the_middle_colour_and_the_sign_decides_the_side(explore: Explore) -> None:
    page = explore.page
    explore.ask(lambda: explore.field("Model").select_option("explicit"))
    explore.page.get_by_role("button", name="Edit…").click()
    box = page.get_by_role("textbox", name="x", exact=True)
    body = explore.ask(lambda: box.fill("1 0 0 0\n0 -1 0 0\n0 0 2 0\n0 0 0 -2"))
    page.get_by_role("button", name="Done").click()
    explore.shows(body, ["x", "scores"])
    found = explore.seen("x", 4, 4)[..., :3]
    colours = explore.colours("diverging")
    assert np.abs(found[0, 1] - colours[127:129].mean(axis=0)).max() <= 4
    ends = {(2, 2): colours[255], (3, 3): colours[0]}
    for cell, colour in ends.items():
        assert np.abs(found[cell] - colour).max() <= 2
    nearer = [np.abs(found[0, 0] - end).sum() for end in (colours[255], colours[0])]
    assert nearer[0] < nearer[1]


def test_another_seed_is_another_picture_of_every_stage(explore: Explore) -> None:
    before = {stage: explore.pixels(stage) for stage in STAGES}
    body = explore.ask(lambda: explore.field("seed").fill("7"))
    assert body["model"]["seed"] == 7
    explore.shows(body, STAGES)
    for stage in STAGES:
        until(explore.page, lambda: explore.pixels(stage) != before[stage], stage)  # noqa: B023


def test_the_legend_tells_the_range_of_the_colours(explore: Explore) -> None:
    reply = explore.answer(explore.question())
    size = np.nanmax(np.abs(stage_cells(reply, "q", 0, 0, 0)))
    ends = f"{size:.2f}".rstrip("0").rstrip(".")
    expect(explore.card("q")).to_contain_text(f"−{ends}")
    expect(explore.card("q")).to_contain_text(re.compile(f"[^−]{ends}$"))
    expect(explore.card("weights")).to_contain_text("masked")


def test_scaled_and_masked_scores_have_one_legend(explore: Explore) -> None:
    for seed in ("2", "3"):  # the mask closes their largest scores
        body = explore.ask(lambda: explore.field("seed").fill(seed))  # noqa: B023
        reply = explore.shows(body, ["scaled_scores", "masked_scores"])
        size = np.nanmax(np.abs(stage_cells(reply, "scaled_scores", 0, 0, 0)))
        for stage in ("scaled_scores", "masked_scores"):
            high = explore.card(stage).locator(".legend .high")
            expect(high).to_have_text(f"{size:.2f}".rstrip("0").rstrip("."))


def test_where_nothing_is_masked_nothing_speaks_of_a_mask(explore: Explore) -> None:
    cards = [explore.card(stage) for stage in ("masked_scores", "weights")]
    for card in cards:
        expect(card.locator(".legend .masked")).to_be_visible()
    expect(cards[0].locator("math")).to_contain_text("∞")
    explore.open("/?causal=false&text=the cat saw it")
    for card in cards:
        expect(card.locator(".legend .masked")).to_be_hidden()
    expect(cards[0].locator("math")).not_to_contain_text("∞")
    explore.open("/?causal=false&text=the cat saw it%0Aa cat")
    explore.canvas("weights").wait_for()
    expect(cards[0].locator("math")).to_contain_text("∞")
    expect(cards[1].locator(".legend .masked")).to_be_hidden()
    explore.open("/?causal=false&batch=1&text=the cat saw it%0Aa cat")
    expect(cards[1].locator(".legend .masked")).to_be_visible()


def test_a_bias_stands_in_the_formulas_where_there_is_one(explore: Explore) -> None:
    shown = {stage: explore.card(stage).locator("math") for stage in ("q", "k", "v", "output")}
    for formula in shown.values():
        expect(formula).not_to_contain_text("+")
    explore.more()
    explore.ask(lambda: explore.field("biases").check())
    for formula in shown.values():
        expect(formula).to_contain_text("+")


def test_many_keys_have_the_root_scale_and_the_legend_says_so(explore: Explore) -> None:
    legend = explore.card("weights").locator(".legend")
    seen = legend.locator(":is(.low, .middle, .high):visible")
    expect(seen).to_have_text(["0", "1"])
    expect(legend.locator("select")).to_have_value("auto")
    body = explore.ask(lambda: explore.sentence.fill("the cat saw it " * 20))
    explore.shows(body, ["weights"])
    assert len(np.unique(explore.seen("weights", 80, 80).reshape(-1, 4)[:, :3], axis=0)) > 20
    expect(seen).to_have_text(["0", "0.25", "1, √"])
    root = explore.pixels("weights")
    legend.locator("select").select_option(label="0 to 1 always")
    expect(seen).to_have_text(["0", "1"])
    until(explore.page, lambda: explore.pixels("weights") != root, "an even scale")
    address_has(explore.page, "range=fixed")


def test_weights_can_be_stretched_to_each_row(explore: Explore) -> None:
    before = explore.pixels("weights")
    choice = explore.card("weights").get_by_label("Range of the colours")
    choice.select_option(label="0 to each row’s largest")
    n = explore.answer(explore.question())["shape"]["n"]
    until(explore.page, lambda: explore.pixels("weights") != before, "the picture changes")
    highest = explore.colours("sequential")[255]
    picture = explore.seen("weights", n, n)[..., :3]
    for row in picture:
        assert min(np.abs(row - highest).max(axis=1)) <= 2, "no cell of this row is the strongest"
