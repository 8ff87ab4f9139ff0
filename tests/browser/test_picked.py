"""Tokens picked among the chips: where they look, who looks at them, and their sum."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, address_has, address_lacks, written
from tests.browser.pixels import stage_cells


def weights_of(explore: Explore, head: int = 0) -> np.ndarray:
    return stage_cells(explore.answer(explore.question()), "weights", 0, head, 0)


def chips(explore: Explore) -> Locator:
    return explore.page.get_by_role("listbox", name="Tokens").get_by_role("option")


def numbers(explore: Explore) -> Locator:
    return explore.page.locator("#picked .number")


def test_a_pressed_token_shows_where_it_looks(explore: Explore) -> None:
    chips(explore).nth(7).click()
    row = weights_of(explore)[7, :8]
    expect(numbers(explore)).to_have_text([written(weight) for weight in row])
    entropy = -(row * np.log(row)).sum()
    expect(explore.page.locator("#picked")).to_contain_text(
        f"total 1.00 · entropy {entropy:.2f} nats"
    )
    address_has(explore.page, "picked=query.7")
    chips(explore).nth(7).click()
    expect(explore.page.locator("#picked")).to_be_empty()


def test_the_strip_fades_where_it_goes_on_out_of_sight(explore: Explore) -> None:
    strip = explore.page.get_by_role("listbox", name="Tokens")
    explore.sentence.fill("a cat sat")
    expect(chips(explore)).to_have_count(3)
    expect(strip).not_to_have_attribute("data-after", "")
    explore.sentence.fill(" ".join(["elephants"] * 40))
    expect(strip).to_have_attribute("data-after", "")
    expect(strip).not_to_have_attribute("data-before", "")
    strip.focus()
    explore.page.keyboard.press("End")
    expect(strip).to_have_attribute("data-before", "")
    expect(strip).not_to_have_attribute("data-after", "")


def test_a_column_shows_who_looks_at_a_token(explore: Explore) -> None:
    chips(explore).nth(1).click()
    explore.page.get_by_label("who looks at them").check()
    column = weights_of(explore)[1:, 1]
    expect(numbers(explore)).to_have_text([written(weight) for weight in column])


def test_several_tokens_are_summed(explore: Explore) -> None:
    chips(explore).nth(3).click()
    chips(explore).nth(5).click(modifiers=["Shift"])
    sums = np.nan_to_num(weights_of(explore))[[3, 5]].sum(axis=0)[:6]
    expect(numbers(explore)).to_have_text([written(weight) for weight in sums])
    expect(explore.page.locator("#picked h2")).to_have_text("cross + street")
    expect(explore.page.locator("#picked")).to_contain_text("total 2.00")
    explore.page.go_back()
    expect(explore.page.locator("#picked h2")).to_have_text("cross")


def test_the_sum_follows_the_selected_head_and_the_chosen_heads(explore: Explore) -> None:
    chips(explore).nth(4).click()
    explore.page.locator('.thumbnail[data-head="2"]').click()
    row = weights_of(explore, 2)[4, :5]
    expect(numbers(explore)).to_have_text([written(weight) for weight in row])
    explore.page.goto(f"{explore.url}/?tab=heads&heads=0.1_0.3&picked=query.4", wait_until="commit")
    mean = (weights_of(explore, 1) + weights_of(explore, 3))[4, :5] / 2
    expect(numbers(explore)).to_have_text([written(weight) for weight in mean])
    expect(explore.page.locator("#picked")).to_contain_text("Mean of 2 heads")


def test_a_bar_pins_its_cell(explore: Explore) -> None:
    chips(explore).nth(7).click()
    explore.page.locator("#picked .bars button").nth(5).click()
    address_has(explore.page, "cell=weights.7.5")
    expect(explore.inspector).to_contain_text("it → street")


def test_chips_are_picked_with_keys(explore: Explore) -> None:
    page = explore.page
    chips(explore).nth(2).click()
    for key in ("ArrowRight", "ArrowRight", "Shift+Enter", "End", "Shift+Space"):
        page.keyboard.press(key)
    address_has(page, "picked=query.2_4_11")
    page.keyboard.press("Escape")
    expect(page.locator("#picked")).to_be_empty()
    address_lacks(page, "picked")


def test_a_first_visit_does_not_load_the_sums(explore: Explore) -> None:
    assert not [r for r in explore.watch.requests if r.url.endswith("/picked/token-sums.js")]
