"""Cross-attention as a person uses it: a second text, of which keys and values are made."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.hands import Explore, address_has, address_lacks, until, written
from tests.browser.pixels import stage_cells
from tests.browser.test_change import asked as asked_of

ADDRESS = "/?text=Die%20Katze%20sass&context=The%20cat%20sat%20on%20the%20mat"
BODY: dict[str, Any] = {"text": "Die Katze sass", "context": "The cat sat on the mat"}
STAGES = ["x", "q", "k", "v", "scores", "masked_scores", "weights", "head_outputs", "output"]


def box(explore: Explore) -> Locator:
    return explore.page.get_by_role("textbox", name="Context", exact=True)


def choice(explore: Explore) -> Locator:
    explore.drawer()
    return explore.page.get_by_role("combobox", name="Context", exact=True)


def chips(explore: Explore) -> Locator:
    strip = explore.page.get_by_role("listbox", name="Tokens of the context")
    return strip.get_by_role("option")


@pytest.fixture
def asked(window: Explore) -> Explore:
    """Three tokens that ask six."""
    window.open(ADDRESS)
    return window


def weights_of(explore: Explore) -> np.ndarray:
    return stage_cells(explore.answer(BODY), "weights", 0, 0, 0)


def test_a_context_is_chosen_typed_and_let_go_of(explore: Explore) -> None:
    expect(box(explore)).to_have_count(0)
    expect(explore.card("context")).to_be_hidden()
    choice(explore).focus()
    choice(explore).select_option("a text")
    expect(box(explore)).to_be_focused()
    body = explore.ask(lambda: box(explore).fill("some other words"))
    assert body["context"] == "some other words"
    assert "causal" not in body
    reply = explore.shows({"text": body["text"], "context": body["context"]}, STAGES)
    assert (reply["shape"]["n"], reply["shape"]["m"]) == (12, 3)
    expect(chips(explore)).to_have_text(["some0", "other1", "words2"])
    expect(explore.card("weights").locator(".shape")).to_contain_text("m 3")
    explore.page.get_by_role("button", name=re.compile("^Let go of the context")).click()
    expect(box(explore)).to_be_hidden()
    expect(explore.card("context")).to_be_hidden()
    explore.shows({"text": body["text"]})
    address_lacks(explore.page, "context")


def test_while_its_box_is_empty_the_sentence_attends_to_itself(explore: Explore) -> None:
    choice(explore).select_option("a text")
    expect(box(explore)).to_have_attribute("placeholder", re.compile("attends to itself"))
    explore.shows({"text": explore.sentence.input_value()})
    expect(explore.field("Mask")).to_be_enabled()


def test_every_picture_has_its_own_rows_and_columns(asked: Explore) -> None:
    asked.shows(BODY, STAGES)
    context = asked.answer({**BODY, "stages": ["context"]})
    size = np.abs(context["layers"][0]["context"]).max()
    assert size > 1
    asked.shows({**BODY, "stages": ["context"]}, ["context"])
    labels = asked.card("weights").locator(".labels")
    expect(labels.locator(".row")).to_have_text(["Die", "Katze", "sass"])
    expect(labels.locator(".col")).to_have_text(["The", "cat", "sat", "on", "the", "mat"])
    keys = asked.card("k").locator(".labels .row")
    expect(keys).to_have_text(["The", "cat", "sat", "on", "the", "mat"])
    for stage in ("k", "v"):
        expect(asked.card(stage).locator("math")).to_contain_text("Z")
    expect(asked.card("q").locator("math")).to_contain_text("X")


def test_masks_of_one_text_are_off(asked: Explore) -> None:
    mask = asked.field("Mask")
    expect(mask).to_be_disabled()
    expect(mask.locator("option:checked")).to_have_text("none")
    asked.more()
    for name in ("window", "prefix"):
        expect(asked.page.locator(f'[data-field="{name}"] input')).to_be_disabled()


def test_a_key_leads_back_to_the_context(asked: Explore) -> None:
    asked.hover("k", (2, 3), (6, 16))
    expect(chips(asked).nth(2)).to_have_class(re.compile("axis-key"))
    lit = asked.card("context").locator(".overlay .lit:visible")
    expect(lit).to_have_count(1)
    asked.click("k", (2, 3), (6, 16))
    expect(asked.inspector.locator(".place")).to_have_text("sat · d_k 3")
    asked.inspector.get_by_role("button", name=re.compile("^context · sat · d_model 0")).click()
    expect(asked.inspector.get_by_role("heading", name="context").first).to_be_visible()
    expect(asked.inspector).to_contain_text("embedding")
    value = asked.answer({**BODY, "stages": ["context"]})["layers"][0]["context"][0][2][0]
    expect(asked.inspector.locator("output")).to_have_text(written(value))
    address_has(asked.page, "cell=context.2.0")


def test_a_weight_tells_its_query_and_its_key(asked: Explore) -> None:
    asked.click("weights", (1, 5), (3, 6))
    expect(asked.inspector.locator(".place").first).to_have_text("Katze → mat")
    bars = asked.inspector.locator(".bars .number")
    expect(bars).to_have_text([written(weight) for weight in weights_of(asked)[1]])


def test_a_token_of_the_context_tells_who_looks_at_it(asked: Explore) -> None:
    chips(asked).nth(2).click()
    picked = asked.page.locator("#picked")
    expect(picked.locator("h2")).to_have_text("sat")
    expect(picked.locator(".token")).to_have_text(["Die", "Katze", "sass"])
    expect(picked.locator(".number")).to_have_text([written(w) for w in weights_of(asked)[:, 2]])
    expect(picked.get_by_role("radiogroup")).to_be_hidden()
    address_has(asked.page, "picked=key.2")
    asked.page.get_by_role("listbox", name="Tokens", exact=True).get_by_role("option").nth(
        0
    ).click()
    expect(picked.locator("h2")).to_have_text("Die")
    expect(picked.locator(".token")).to_have_text(["The", "cat", "sat", "on", "the", "mat"])


def test_the_address_holds_the_context_and_back_walks_through_it(asked: Explore) -> None:
    body = asked.ask(lambda: box(asked).fill("a dog"))
    asked.shows({"text": body["text"], "context": "a dog"})
    asked.page.reload()
    asked.shows({"text": body["text"], "context": "a dog"})
    expect(box(asked)).to_have_value("a dog")
    asked.page.go_back()
    asked.shows(BODY)
    expect(box(asked)).to_have_value(BODY["context"])


def test_as_many_contexts_as_sentences_are_wanted(asked: Explore) -> None:
    box(asked).fill("one\ntwo")
    expect(asked.page.locator(".context .error")).to_contain_text("each text a context of its own")
    expect(box(asked)).to_have_attribute("aria-invalid", "")
    asked.ask(lambda: asked.sentence.fill("uno\ndos tres"))
    body = {"text": ["uno", "dos tres"], "context": ["one", "two"]}
    asked.shows(body, STAGES)
    expect(asked.page.locator(".context .error")).to_be_empty()


def test_the_translation_example_opens_from_the_menu(explore: Explore) -> None:
    explore.page.get_by_text("Examples", exact=True).click()
    name = re.compile("^Translation: shapes of cross-attention")
    body = explore.ask(explore.page.get_by_role("button", name=name).click)
    assert body["context_tokens"] == ["The", "cat", "sat", "on", "the", "mat"]
    reply = explore.shows({k: v for k, v in body.items() if k != "stages"}, ["k", "scores"])
    shape = reply["shape"]
    assert [shape[name] for name in ("n", "m", "d_model", "num_heads", "d_k")] == [2, 6, 512, 8, 64]
    figures = explore.inspector.get_by_role("listitem").filter(has_text="published")
    expect(figures).to_have_count(5)
    for index in range(5):
        expect(figures.nth(index)).to_contain_text("agrees")
    explore.page.reload()
    explore.shows({k: v for k, v in body.items() if k != "stages"}, ["weights"])
    expect(box(explore)).to_have_attribute("placeholder", re.compile("tokens", re.IGNORECASE))


def test_heads_and_lines_know_both_texts(asked: Explore) -> None:
    asked.page.get_by_role("tab", name="Heads").click()
    metric = asked.page.get_by_role("combobox", name="Metric")
    until(asked.page, lambda: metric.is_enabled(), "the heads are measured")
    off = metric.locator("option:disabled")
    expect(off).to_have_count(5)
    expect(asked.page.locator("#panel-heads .tile").first).to_contain_text(re.compile(r"\d\.\d\d"))
    asked.page.get_by_role("tab", name="Lines").click()
    queries, keys = (
        asked.page.locator(f"#panel-lines ul.axis-{axis} li") for axis in ("query", "key")
    )
    expect(queries).to_have_text(["Die", "Katze", "sass"])
    expect(keys).to_have_text(["The", "cat", "sat", "on", "the", "mat"])


def test_a_stage_is_large_and_a_table_with_its_own_headings(window: Explore) -> None:
    window.open(f"{ADDRESS}&stage=weights&table=true")
    large = window.page.locator("#large")
    expect(large.locator("thead th")).to_have_text(["The", "cat", "sat", "on", "the", "mat"])
    expect(large.locator("tbody th")).to_have_text(["Die", "Katze", "sass"])
    window.open(f"{ADDRESS}&stage=context")
    expect(large.get_by_role("heading")).to_have_text("context")


def test_the_stepper_takes_the_key_from_the_context(window: Explore) -> None:
    window.open(f"{ADDRESS}&step=project.100")
    told = window.page.locator("#stepper")
    expect(told.locator(".words")).to_contain_text("which is a row of the context")
    query = stage_cells(window.answer(BODY), "q", 0, 0, 0)
    expect(told.locator("output")).to_have_text(f"Σ = {written(query[-1, 0])}")


def test_what_is_taken_away_asks_the_same(elsewhere: Callable[..., Explore]) -> None:
    desk = elsewhere(ADDRESS, permissions=["clipboard-read", "clipboard-write"])
    desk.card("context").locator(".take").click()
    dialog = desk.page.get_by_role("dialog", name="Share & export")
    stage = dialog.get_by_role("combobox", name="stage", exact=True)
    expect(stage.locator("option:checked")).to_have_text("context")
    dialog.get_by_role("button", name=re.compile("curl")).click()
    until(desk.page, lambda: "copied" in dialog.inner_text().lower(), "the command is copied")
    command = desk.page.evaluate("navigator.clipboard.readText()")
    sent = json.loads(command[command.index("-d '") + 4 : command.rindex("'")])
    assert (sent["context"], sent["stages"]) == (BODY["context"], ["context"])
    assert desk.page.request.post(f"{desk.url}/api/v1/attention", data=sent).ok
    with desk.page.expect_download() as download:
        dialog.get_by_role("button", name="CSV", exact=True).click()
    rows = Path(download.value.path()).read_text().splitlines()
    assert rows[1].startswith("0,context,0,,0,0,")
    assert len(rows) == 1 + 6 * 64


def test_a_page_in_a_file_has_both_texts(asked: Explore, browser: Browser, tmp_path: Path) -> None:
    trace = asked.answer(BODY)["trace"]
    page = asked.page.request.get(f"{asked.url}/api/v1/traces/{trace}/export?format=html")
    (tmp_path / "page.html").write_bytes(page.body())
    context = browser.new_context(offline=True)
    alone = context.new_page()
    alone.goto((tmp_path / "page.html").as_uri())
    expect(alone.locator('[data-stage="context"] canvas[data-layer]')).to_be_visible()
    expect(alone.locator("#context .chip")).to_have_count(6)
    expect(alone.locator('[data-stage="weights"] .labels .col')).to_have_count(6)
    context.close()


def test_two_questions_with_contexts_are_compared_key_by_key(
    elsewhere: Callable[..., Explore],
) -> None:
    desk = elsewhere(None)
    query = "text=Die%20Katze&{0}.context=The%20{1}%20sat"
    address = f"a.{query.format('a', 'cat')}&b.{query.format('b', 'dog')}"
    desk.page.goto(f"{desk.url}/compare?{address}")
    difference = desk.page.locator('[data-stage="weights"] [data-of="difference"]')
    expect(difference.locator(".labels .col")).to_have_text(["The", "cat/dog", "sat"])
    expect(difference.locator(".labels .row")).to_have_text(["Die", "Katze"])
    boxes = desk.page.get_by_role("textbox", name="Context", exact=True)
    expect(boxes).to_have_count(2)
    expect(boxes.nth(1)).to_have_value("The dog sat")


@pytest.mark.parametrize("model", ["d_model=4&num_heads=2", "source=crafted&name=all"])
def test_a_changed_matrix_keeps_the_numbers_of_the_context(window: Explore, model: str) -> None:
    window.open(f"{ADDRESS}&{model}&cell=w_k.1.2")
    before = window.question()
    number = window.page.get_by_label("Change this number").get_by_role("textbox")
    expect(number).not_to_have_value("")
    body = asked_of(window, lambda: number.fill("−1.5"))
    asked = window.answer({**before, "parameters": True})["layers"][0]
    if "crafted" in model:
        assert body["context_x"] == asked["context"][0]
        assert body["context_tokens"] == BODY["context"].split()
    else:  # the words of a seeded model stay words
        assert {"text": body["text"], "context": body["context"]} == BODY
    assert body["model"]["w_k"][1][2] == -1.5
    window.shows(body, ["k", "weights"])
    body["model"]["w_k"][1][2] = asked["parameters"]["w_k"][1][2]
    assert window.answer(body)["layers"][0]["output"] == asked["output"]


def test_the_box_of_a_given_context_speaks_of_the_context(window: Explore) -> None:
    given = quote('{"tokens":["a","b"],"context_tokens":["c","d","e"]}')
    window.open(f"/#{given}")
    box = window.page.get_by_role("textbox", name="Context")
    expect(box).to_have_attribute("placeholder", re.compile("The tokens are given. Type a text"))
    expect(window.sentence).to_have_attribute("placeholder", re.compile("Type a sentence"))
