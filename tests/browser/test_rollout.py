"""Rollout: the layers as one picture, among the heads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, address_has, fits, until
from tests.browser.pixels import alike, centres, painted

TEXTS = ["the cat sat", "the cat sat on the mat"]
QUESTION = "&num_layers=3&d_model=16&text=the%20cat%20sat%0Athe%20cat%20sat%20on%20the%20mat"


def card(explore: Explore) -> Locator:
    return explore.page.locator(".together")


def open_rollout(
    explore: Explore, more: str = "&rollout=true&layer=2&batch=1", drawn: str = "6"
) -> None:
    explore.page.goto(f"{explore.url}/?tab=heads{QUESTION}{more}", wait_until="commit")
    grid = card(explore).get_by_role("grid")
    expect(grid).to_have_attribute("aria-rowcount", drawn)


def shows(explore: Explore, layer: int, batch: int) -> None:
    """Waits until the picture is what the API says; padding is hatched."""
    trace = explore.answer(explore.question())["trace"]
    path = f"/api/v1/traces/{trace}/rollout?layer={layer}&batch={batch}"
    cells = np.array(explore.page.request.get(explore.url + path).json()["maps"][0])
    words = len(TEXTS[batch].split())
    cells[words:], cells[:, words:] = np.nan, np.nan
    wanted = painted(cells, explore.colours("sequential"), 0, 1)
    canvas = card(explore).locator("canvas[data-head]")
    until(
        explore.page,
        lambda: alike(centres(canvas, *cells.shape), wanted),
        f"the rollout up to layer {layer}",
    )


def test_the_map_of_each_layer_is_drawn(explore: Explore) -> None:
    open_rollout(explore, "&batch=1")
    card(explore).get_by_label("Several heads as").select_option("rollout")
    shows(explore, 0, 1)
    for layer in (2, 1):
        card(explore).get_by_role("combobox", name="layer").select_option(str(layer))
        expect(card(explore).get_by_role("heading").first).to_have_text(
            f"Rollout up to layer {layer}"
        )
        shows(explore, layer, 1)
    address_has(explore.page, "rollout=true")
    explore.page.reload(wait_until="commit")
    shows(explore, 1, 1)
    expect(card(explore)).to_contain_text("passes half of a row on as it is")


def test_every_sentence_of_a_batch_has_its_own(explore: Explore) -> None:
    open_rollout(explore, "&rollout=true&layer=2")
    shows(explore, 2, 0)


def test_a_cell_is_read_aloud_under_its_tokens(explore: Explore) -> None:
    open_rollout(explore)
    shows(explore, 2, 1)
    grid = card(explore).get_by_role("grid", name="weights, Rollout up to layer 2: 6 rows")
    grid.focus()
    explore.page.keyboard.press("ArrowRight")
    expect(card(explore).locator("[aria-live]")).to_have_text("the₀ → cat: 0.000")


def test_one_layer_has_no_rollout(explore: Explore) -> None:
    explore.page.goto(f"{explore.url}/?tab=heads&rollout=true", wait_until="commit")
    expect(card(explore).get_by_role("heading").first).to_have_text("layer 0, head 0")
    option = card(explore).get_by_label("Several heads as").locator("option").last
    expect(option).to_have_attribute("hidden", "")


def test_with_a_context_it_is_told_why_there_is_none(explore: Explore) -> None:
    explore.page.goto(
        f"{explore.url}/?tab=heads{QUESTION}&rollout=true&context=a%20b%0Aa%20b",
        wait_until="commit",
    )
    expect(card(explore).locator(".error")).to_contain_text("leave the context out")
    assert not [r for r in explore.watch.requests if "/rollout?" in r.url]
    expect(card(explore).locator("canvas")).to_be_hidden()
    card(explore).get_by_label("Several heads as").select_option("mean")
    expect(card(explore).locator("canvas")).to_be_visible()
    expect(card(explore).locator(".error")).to_be_hidden()


def test_it_fits_a_phone(elsewhere: Callable[..., Explore]) -> None:
    phone = elsewhere(None, viewport={"width": 390, "height": 844})
    open_rollout(phone)
    fits(phone.page, 390)
