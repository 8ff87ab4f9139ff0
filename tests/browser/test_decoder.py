"""A decoder on the page: its layers take turns, and each has its own keys, masks and cache."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.browser.hands import Explore, middle, until

ADDRESS = (
    "/?source=seeded&text=Die%20Katze&context=The%20cat%20sat&block=decoder&num_layers=2&d_model=8"
)
BODY: dict[str, Any] = {
    "text": "Die Katze",
    "context": "The cat sat",
    "model": {"source": "seeded", "block": "decoder", "num_layers": 2, "d_model": 8},
}
MAPS = ["scores", "masked_scores", "weights"]
MLP = ["middle", "hidden", "activated", "mlp_output"]


def test_each_layer_shows_its_own_keys_and_only_those_of_the_context_an_mlp(
    window: Explore,
) -> None:
    window.open(ADDRESS)
    window.shows(BODY, ["x", *MAPS, "block_output"])
    columns = window.card("weights").locator(".labels .col")
    expect(columns).to_have_text(["Die", "Katze"])
    expect(window.card("hidden")).to_be_hidden()
    expect(window.page.locator(".layer").nth(1)).to_contain_text("layer 1 · context")
    window.page.locator(".head-chip", has_text="L1 H2").click()
    window.shows(BODY, ["x", "k", *MAPS, "block_output"], place=(1, 2, 0))
    expect(columns).to_have_text(["The", "cat", "sat"])
    window.shows({**BODY, "stages": MLP}, MLP, place=(1, 2, 0))
    expect(window.card("k").locator("math")).to_contain_text("Z")
    window.page.locator(".head-chip", has_text="L2 H0").click()
    window.shows(BODY, MAPS, place=(2, 0, 0))
    expect(columns).to_have_text(["Die", "Katze"])


def test_the_map_of_the_context_is_painted_and_so_is_one_head_of_the_text(window: Explore) -> None:
    window.open(ADDRESS + "&layer=1&change=mask")
    picture = window.page.locator("[data-openness] canvas")
    picture.scroll_into_view_if_needed()
    window.page.mouse.click(*middle(picture, (1, 2), (2, 3)))
    closed = [[1, 1, 1], [1, 1, 0]]
    until(
        window.page,
        lambda: window.question().get("context_mask") == closed,
        "the mask of the context is painted",
    )
    window.shows({**BODY, "context_mask": closed}, MAPS[1:], place=(1, 0, 0))
    expect(window.page.locator("[data-openness] .cells")).to_have_text("111110")
    window.page.locator(".head-chip", has_text="L0 H1").click()
    window.page.get_by_label("Paint for").select_option("this head alone")
    window.page.mouse.click(*middle(picture, (1, 0), (2, 2)))
    until(window.page, lambda: window.question().get("mask"), "the mask of a head is painted")
    (heads,) = window.question()["mask"]
    assert heads[1] == [[1, 1], [0, 1]]
    assert heads[0] == heads[2] == [[1, 1], [1, 1]]
    window.shows(window.question(), ["weights"], place=(0, 1, 0))


def test_the_keys_of_the_context_are_all_in_the_cache_from_the_first_step(window: Explore) -> None:
    window.open(ADDRESS + "&layer=1&decoded=1")
    window.page.get_by_role("tab", name="Decode").click()
    cache = window.page.locator(".cache")
    expect(cache.locator(".names li")).to_have_text(["The", "cat", "sat"])
    expect(cache.locator(".names .kept")).to_have_count(3)
    words = window.page.locator(".player .words")
    expect(words).to_contain_text("New rows: 1 of q, 0 of k and v. From the cache: 3.")
    expect(window.page.locator("#inspector .guide")).to_contain_text("made once, in the first step")
    window.page.locator(".head-chip", has_text="L0 H0").click()
    expect(cache.locator(".names li")).to_have_text(["Die", "Katze"])
    expect(cache.locator(".names .made")).to_have_count(1)
    expect(words).to_contain_text("New rows: 1 of q, 1 of k and v. From the cache: 1.")
