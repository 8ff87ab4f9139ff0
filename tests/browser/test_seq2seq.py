"""An encoder with its decoder on the page: each layer has its own words on either side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.hands import Explore, until
from tests.browser.pixels import alike
from tests.families.seq2seq_made import made_pair
from tests.serving import COMMAND, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

BODY: dict[str, Any] = {
    "text": "too",
    "context": "It was",
    "model": {"source": "installed", "name": "t5_gated"},
}
ADDRESS = "/?source=installed&name=t5_gated&text=too&context=It%20was"
MAPS = ["scores", "scaled_scores", "weights"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    disk = tmp_path_factory.mktemp("pairs")
    with serving(COMMAND, disk, "--model", str(made_pair("t5_gated", disk))) as url:
        yield url


@pytest.fixture
def explore(new_page: Callable[..., Page], server: str) -> Iterator[Explore]:
    opened = Explore(new_page(viewport={"width": 1440, "height": 900}, locale="en-US"), server)
    yield opened
    assert opened.watch.troubles() == []


def test_each_layer_shows_the_words_of_its_half(explore: Explore) -> None:
    explore.open(ADDRESS)
    reply = explore.answer(BODY)
    text, source = reply["tokens"][0], reply["context_tokens"][0]
    assert (len(text), len(source)) == (3, 5)
    expect(explore.page.get_by_text(f"After “{text[-1]}” the model expects")).to_be_visible()
    layers = explore.page.locator(".layer")
    expect(layers.nth(0)).to_contain_text("layer 0 · encoder")
    expect(layers.nth(3)).to_contain_text("layer 3")
    expect(layers.nth(4)).to_contain_text("layer 4 · context")
    for layer, rows, cols in ((0, source, source), (3, text, text), (4, text, source)):
        explore.page.locator(".head-chip", has_text=f"L{layer} H1").click()
        own = {**reply, "lengths": [len(rows)], "context_lengths": [len(cols)]}
        for stage in MAPS:
            _is_drawn(explore, stage, explore.wanted(own, stage, (layer, 1, 0), "light"))
        labels = explore.card("weights").locator(".labels")
        expect(labels.locator(".col")).to_have_count(len(cols))
        expect(labels.locator(".row")).to_have_count(len(rows))


def _is_drawn(explore: Explore, stage: str, wanted: np.ndarray) -> None:
    rows, cols = wanted.shape[:2]
    until(explore.page, lambda: alike(explore.seen(stage, rows, cols), wanted), f"{stage} is drawn")


def test_the_formula_of_scores_has_the_bias_and_x_begins_twice(explore: Explore) -> None:
    explore.open(ADDRESS + "&layer=3")
    explore.click("scaled_scores", (2, 1), (3, 3))
    expect(explore.inspector).to_contain_text("bias of the distance")
    expect(explore.card("x").locator("math")).to_contain_text("E")
    explore.page.locator(".head-chip", has_text="L1 H0").click()
    expect(explore.card("x").locator("math")).to_contain_text("ℓ")
