"""A text too long for whole maps: what the page says in a reader's words, and what rests."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import LONG, Explore, address_has, until

SMALL = "/?source=seeded&num_heads=1&d_model=8"
FOUR = "/?source=seeded&num_heads=4&d_model=8"
WORDS = " ".join(f"w{at % 97}" for at in range(4500))
OF_THE_API = re.compile(r"GET |/traces|\?rows|d_model|num_heads|too_large")


@pytest.fixture
def long(window: Explore) -> Explore:
    """4,500 words of a model of one head: above 4,096 no map is whole."""
    window.open(SMALL)
    window.sentence.fill(WORDS)
    expect(window.page.locator("#tokens .count")).to_contain_text("of 4,500 tokens", timeout=LONG)
    expect(window.page.locator("#tab-gradients")).to_have_attribute("data-shut", "", timeout=LONG)
    return window


def card(explore: Explore) -> Locator:
    return explore.page.locator(".too-long:visible")


@pytest.mark.parametrize("name", ["Gradients", "Parameters", "Decode", "Laboratory"])
def test_a_tab_that_a_text_is_too_long_for_says_so(long: Explore, name: str) -> None:
    long.watch.forget()
    tab = long.page.get_by_role("tab", name=name)
    expect(tab).to_have_accessible_description("For a shorter text: this one has 4,500 tokens.")
    tab.click()
    expect(card(long)).to_contain_text(f"This text is too long for {name}")
    expect(card(long)).to_contain_text("It works up to about 2,400 tokens with this model.")
    expect(card(long)).not_to_contain_text(OF_THE_API)
    assert long.page.locator("#panels > [role=tabpanel]:visible > :visible").count() == 0
    assert long.watch.refusals == []
    card(long).get_by_role("button", name="Open the Map").click()
    address_has(long.page, "tab=map")
    expect(card(long)).to_have_count(0)


def test_a_model_that_predicts_nothing_says_so_however_long_the_text(long: Explore) -> None:
    tab = long.page.get_by_role("tab", name="Worth")
    expect(tab).not_to_have_attribute("data-shut", "")
    tab.click()
    expect(long.page.locator("#panel-worth")).to_contain_text("says nothing of what comes next")
    expect(card(long)).to_have_count(0)


def test_the_text_is_shortened_to_what_works(long: Explore) -> None:
    long.page.get_by_role("tab", name="Gradients").click()
    card(long).get_by_role("button", name="Use the first 2,400 tokens").click()
    expect(long.page.locator("#tokens .count")).to_contain_text("of 2,400 tokens", timeout=LONG)
    expect(card(long)).to_have_count(0)
    expect(long.sentence).to_have_value(" ".join(WORDS.split()[:2400]))
    shown = long.page.locator("#panel-gradients [data-stage=output] canvas[data-layer]")
    expect(shown).to_be_visible(timeout=LONG)
    long.page.get_by_role("button", name="Undo").click()
    expect(card(long)).to_be_visible(timeout=LONG)


def test_costs_are_reckoned_for_any_length(long: Explore) -> None:
    long.page.get_by_role("tab", name="Laboratory").click()
    card(long).get_by_role("button", name="Costs").click()
    expect(long.page.locator("#panel-lab")).to_contain_text("Self-attention to 64 tokens")
    expect(card(long)).to_have_count(0)
    other = long.page.locator("#panel-lab").get_by_role("button", name="Precision")
    expect(other).to_be_disabled()
    expect(other).to_have_accessible_description("This needs a shorter text.")


def test_what_needs_whole_maps_rests_and_says_why(long: Explore) -> None:
    page = long.page
    for name in ("Change", "Compare with …"):
        button = page.get_by_role("button", name=name, exact=True)
        expect(button).to_be_disabled()
        expect(button).to_have_accessible_description("This needs a shorter text.")
    page.locator("#share > .button").click()
    dialog = page.get_by_role("dialog", name="Share & export")
    expect(dialog).to_contain_text("hold whole maps, which a text of this length does not have")
    for name in ("CSV", "JSON", ".npz", ".safetensors", "HTML", "numpy", "Copy as curl"):
        expect(dialog.get_by_role("button", name=name, exact=True)).to_be_disabled()
    for name in ("SVG", "PNG", "Copy: short"):
        expect(dialog.get_by_role("button", name=name, exact=True)).to_be_enabled()
    page.keyboard.press("Escape")


def test_an_address_that_opens_such_a_tab_has_pictures_and_the_reason(window: Explore) -> None:
    window.page.goto(f"{window.url}{SMALL}&tab=decode&lang=zh#" + quote(f'{{"text":"{WORDS}"}}'))
    expect(card(window)).to_contain_text("文本太长，不能看“解码”", timeout=LONG)
    expect(card(window).get_by_role("button", name="只用前 2,400 个词元")).to_be_visible()


def test_a_text_with_whole_maps_that_is_too_long_for_gradients_is_shortened(
    window: Explore,
) -> None:
    """Derivatives take the memory twice."""
    window.open(f"{FOUR}&tab=gradients")
    window.page.locator("#panel-gradients canvas[data-layer]").first.wait_for()
    window.watch.forget()
    window.sentence.fill(" ".join(WORDS.split()[:1700]))
    expect(card(window)).to_contain_text("This text is too long for Gradients", timeout=LONG)
    for name in ("Parameters", "Worth", "Decode", "Laboratory"):
        expect(window.page.get_by_role("tab", name=name)).not_to_have_attribute("data-shut", "")
    cut = card(window).get_by_role("button", name=re.compile(r"Use the first 1,\d00 tokens"))
    words = int(re.sub(r"\D", "", cut.inner_text()))
    cut.click()
    expect(window.sentence).to_have_value(" ".join(WORDS.split()[:words]))
    expect(card(window)).to_have_count(0, timeout=LONG)
    shown = window.page.locator("#panel-gradients [data-stage=output] canvas[data-layer]")
    expect(shown).to_be_visible(timeout=LONG)
    assert window.watch.refusals == []


def test_of_a_text_that_is_whole_but_too_much_it_is_said_in_words_too(window: Explore) -> None:
    """Every precision stands beside the others."""
    window.page.goto(f"{window.url}{FOUR}&tab=lab&lab=precision")
    window.page.locator("#panel-lab table").first.wait_for()
    window.sentence.fill(" ".join(WORDS.split()[:1700]))
    said = window.page.locator("#panel-lab .rounding > .error")
    expect(said).to_contain_text("more than can be computed at once", timeout=LONG)
    expect(said).not_to_contain_text(OF_THE_API)


def test_the_picture_to_take_away_names_its_tokens(long: Explore) -> None:
    """Those along its sides are asked for when the dialog is opened."""
    long.page.locator("#share > .button").click()
    dialog = long.page.get_by_role("dialog", name="Share & export")

    def names() -> list[str]:
        with long.page.expect_download() as download:
            dialog.get_by_role("button", name="SVG", exact=True).click()
        svg = download.value.path().read_text(encoding="utf-8")
        return re.findall(r'text-anchor="end">(\w+)</text>', svg)

    def words() -> list[str]:
        found = names()
        return found if all(re.match("w[0-9]", name) for name in found) else []

    named = until(long.page, words, "every name is a word")
    assert len(named) > 20
    long.page.keyboard.press("Escape")
