"""Encoders of the disk, as a person uses them: a second sentence, and what is masked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import DESK
from tests.browser.hands import PATIENCE, Explore, address_has, address_lacks
from tests.browser.test_predictions import percent, told
from tests.families.cases import made
from tests.serving import COMMAND, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

ADDRESS = "/?source=installed&name=bert&text=the%20street"

MASKED = "/?source=installed&name=bert_masked&text=the%20[MASK]%20was%20tired"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with a small BERT, and another that has a head."""
    folder = tmp_path_factory.mktemp("lab")
    for case in ("bert", "bert_masked"):
        made(case, folder / "models")
    with serving(COMMAND, folder, "--model", str(folder / "models")) as url:
        yield url


@pytest.fixture
def encoder(new_page: Callable[..., Page], lab: str) -> Iterator[Explore]:
    page = new_page(viewport=DESK, locale="en-US")
    page.set_default_timeout(PATIENCE * 1000)
    explore = Explore(page, lab)
    explore.open(ADDRESS)
    yield explore
    assert explore.watch.troubles() == []


def second(explore: Explore) -> Locator:
    return explore.page.get_by_role("textbox", name="Second sentence", exact=True)


def test_a_second_sentence_is_typed_kept_in_the_link_and_let_go_of(encoder: Explore) -> None:
    box, n = second(encoder), 4
    expect(box).to_be_visible()
    body = encoder.ask(lambda: box.fill("it was tired"))
    assert (body["text"], body["pair"]) == ("the street", "it was tired")
    address_has(encoder.page, "pair=it%20was%20tired")
    model = body["model"]
    whole = {"text": body["text"], "pair": body["pair"], "model": model}
    reply = encoder.shows(whole, ["x", "weights"])
    assert reply["sentences"] == [[0] * n + [1] * n]
    encoder.page.reload()
    expect(box).to_have_value("it was tired")
    encoder.settle()
    body = encoder.ask(lambda: box.fill(""))
    assert "pair" not in body
    address_lacks(encoder.page, "pair=")


def test_a_model_of_one_sentence_has_no_second_box(encoder: Explore) -> None:
    encoder.ask(lambda: second(encoder).fill("it was tired"))
    encoder.drawer()
    body = encoder.ask(lambda: encoder.field("Model").select_option("seeded"))
    assert "pair" not in body
    expect(second(encoder)).to_have_count(0)


def test_what_is_masked_is_told_in_its_place(encoder: Explore) -> None:
    encoder.open(MASKED)
    said = encoder.page.locator("#predictions")
    heading = said.get_by_role("heading")
    expect(heading).to_have_text("In place of “[MASK]” the model expects")
    now = told(encoder, position=2, top=6)
    for item, likely in zip(said.locator(".likely li").all(), now["top"], strict=True):
        expect(item).to_contain_text(likely["piece"])
        expect(item.locator(".number")).to_contain_text(percent(likely["probability"]))
    expect(said.locator(".legend")).to_be_hidden()
    options = said.get_by_role("option")
    expect(options.nth(2)).to_have_attribute("aria-selected", "true")
    options.nth(1).click()
    expect(heading).to_have_text("In place of “the” the model expects")
    address_has(encoder.page, "after=1")
    encoder.page.goto(f"{encoder.url}{MASKED}&tab=worth")
    finds = f"In place of “[MASK]” the model finds “{now['top'][0]['piece']}” the likeliest"
    expect(encoder.page.locator("#panel-worth")).to_contain_text(finds)


def test_a_text_of_such_a_model_does_not_go_on(encoder: Explore) -> None:
    encoder.page.goto(f"{encoder.url}{MASKED}&causal=true&tab=decode")
    expect(encoder.page.locator("#panel-decode .player")).to_be_visible()
    expect(encoder.page.get_by_role("button", name="Continue the text")).to_be_hidden()
