"""A model of the disk that reads two sentences, as a person uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import DESK
from tests.browser.hands import PATIENCE, Explore, address_has, address_lacks
from tests.families.cases import made
from tests.serving import COMMAND, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

ADDRESS = "/?source=installed&name=bert&text=the%20street"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with a small BERT."""
    folder = tmp_path_factory.mktemp("lab")
    with serving(COMMAND, folder, "--model", str(made("bert", folder / "models"))) as url:
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
