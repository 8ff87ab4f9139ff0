"""Models of the disk, by hand: an encoder of two sentences, one that fills masks in, and a pair of
an encoder and a decoder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, address_lacks, until
from tests.browser.pixels import alike
from tests.families.cases import made
from tests.families.made import gpt2
from tests.families.seq2seq_made import made_pair
from tests.installed.adapters.made import adapter
from tests.serving import PRELOADED, serving

if TYPE_CHECKING:
    import numpy as np

MASKED = "/?source=installed&name=bert_masked&text=the%20[MASK]%20was%20tired"
PAIR: dict[str, Any] = {
    "text": "too",
    "context": "It was",
    "model": {"source": "installed", "name": "t5_gated"},
}
MAPS = ["scores", "scaled_scores", "weights"]


@pytest.fixture(scope="module")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with small models of three families, one with an adapter, and one
    with a key in its config that is ignored."""
    folder = tmp_path_factory.mktemp("lab")
    for case in ("bert", "bert_masked"):
        made(case, folder / "models")
    made_pair("t5_gated", folder / "models")
    adapter(gpt2(folder / "models" / "tiny"))
    gpt2(folder / "models" / "odd", attn_bias_kind="strange")
    options = ["--model", str(folder / "models"), "--accept", "attn_bias_kind"]
    with serving(PRELOADED, folder, *options) as url:
        yield url


def test_a_second_sentence_is_typed_kept_in_the_link_and_taken_away(window: Explore) -> None:
    window.open("/?source=installed&name=bert&text=the%20street")
    second = window.page.get_by_role("textbox", name="Second sentence", exact=True)
    body = window.ask(lambda: second.fill("it was tired"))
    assert (body["text"], body["pair"]) == ("the street", "it was tired")
    address_has(window.page, "pair=it%20was%20tired")
    whole = {"text": body["text"], "pair": body["pair"], "model": body["model"]}
    reply = window.shows(whole, ["x", "weights"])
    assert reply["sentences"] == [[0] * 4 + [1] * 4]
    window.page.reload()
    expect(second).to_have_value("it was tired")
    window.settle()
    assert "pair" not in window.ask(lambda: second.fill(""))
    address_lacks(window.page, "pair=")
    window.ask(lambda: second.fill("it was"))
    model = window.field("Model")
    assert "pair" not in window.ask(lambda: model.select_option("seeded"))
    expect(second).to_have_count(0)


def test_what_is_masked_is_predicted_in_its_place_and_the_text_does_not_go_on(
    window: Explore,
) -> None:
    window.open(MASKED)
    said = window.page.get_by_role("region", name="What the model says")
    heading = said.get_by_role("heading")
    expect(heading).to_have_text("In place of “[MASK]” the model expects")
    top = window.of_trace("predictions", position=2, top=6)["top"]
    items = said.get_by_role("listitem")
    expect(items).to_have_count(len(top))
    for item, likely in zip(items.all(), top, strict=True):
        expect(item).to_contain_text(likely["piece"])
        percent = 100 * likely["probability"]
        shown = f"{percent:.0f}" if percent >= 9.95 else f"{percent:.1f}"
        expect(item.locator(".number")).to_contain_text(shown)
    expect(said.locator(".legend")).to_be_hidden()
    options = said.get_by_role("option")
    expect(options.nth(2)).to_have_attribute("aria-selected", "true")
    options.nth(1).click()
    expect(heading).to_have_text("In place of “the” the model expects")
    address_has(window.page, "after=1")
    options.nth(2).click()
    window.tab("Worth").click()
    finds = f"In place of “[MASK]” the model finds “{top[0]['piece']}” the likeliest"
    expect(window.panel("Worth")).to_contain_text(finds)
    window.page.goto(f"{window.url}{MASKED}&causal=true&tab=decode")
    decode = window.panel("Decode")
    expect(decode.get_by_label("Step of decoding")).to_be_visible()
    expect(decode.get_by_role("button", name="Continue the text")).to_be_hidden()


def test_each_layer_of_a_pair_shows_the_words_of_its_half(window: Explore) -> None:
    window.open("/?source=installed&name=t5_gated&text=too&context=It%20was")
    reply = window.answer(PAIR)
    text, source = reply["tokens"][0], reply["context_tokens"][0]
    assert (len(text), len(source)) == (3, 5)
    expect(window.page.get_by_text(f"After “{text[-1]}” the model expects")).to_be_visible()
    layers = window.page.locator(".layer")
    expect(layers.nth(0)).to_contain_text("layer 0 · encoder")
    expect(layers.nth(3)).to_contain_text("layer 3")
    expect(layers.nth(4)).to_contain_text("layer 4 · context")
    for layer, rows, cols in ((0, source, source), (4, text, source), (3, text, text)):
        window.head(layer, 1).click()
        own = {**reply, "lengths": [len(rows)], "context_lengths": [len(cols)]}
        for stage in MAPS:
            is_drawn(window, stage, window.wanted(own, stage, (layer, 1, 0), "light"))
        labels = window.card("weights").locator(".labels")
        expect(labels.locator(".col")).to_have_count(len(cols))
        expect(labels.locator(".row")).to_have_count(len(rows))
    window.click("scaled_scores", (2, 1), (3, 3))
    expect(window.inspector).to_contain_text("bias of the distance")
    formula = window.card("x").get_by_role("math")
    expect(formula).to_contain_text("E")
    window.head(1, 0).click()
    expect(formula).to_contain_text("ℓ")


def is_drawn(explore: Explore, stage: str, wanted: np.ndarray) -> None:
    rows, cols = wanted.shape[:2]
    until(explore.page, lambda: alike(explore.seen(stage, rows, cols), wanted), f"{stage} is drawn")


def test_compare_sets_what_an_adapter_made_beside_its_base(window: Explore) -> None:
    window.open("/?source=installed&name=tiny%2Badapter&text=the%20animal")
    window.page.get_by_role("button", name="Compare with").click()
    address_has(window.page, "a.name=tiny&")
    address_has(window.page, "b.name=tiny%2Badapter")
    expect(window.page.locator('[data-stage="weights"] .difference')).not_to_have_text(
        "no difference"
    )


def test_what_a_model_with_ignored_keys_expects_carries_their_note(window: Explore) -> None:
    window.open("/?source=installed&name=odd&text=the%20animal")
    note = window.page.get_by_role("note").filter(has_text="attn_bias_kind")
    expect(note).to_be_visible()
    said = window.page.get_by_role("region", name="What the model says")
    expect(said.get_by_role("note")).to_contain_text("see the note above")
    expect(said.get_by_role("option")).not_to_have_count(0)
