"""A page that is opened on a refusal says why, stands as it will, and leads on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.hands import Explore, box

Opens = Callable[..., Explore]
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
GONE = "0" * 32
STANDS = ("#text", "#options > .summary-line", "#looks", "#tabs", "#show", '[data-stage="x"]')
# Below a phone's picture of the sentence, which has as many lines as the sentence, things move.
ON_A_PHONE = STANDS[:3]


def refused(elsewhere: Opens, address: str, **options: object) -> Explore:
    """The page at an address that has no answer, once it says so."""
    window = elsewhere(None, **options)
    window.page.goto(f"{window.url}{address}")
    window.page.locator("body[data-bare]").wait_for()
    expect(window.page.locator("#notice strong")).to_be_visible()
    return window


def places(page: Page) -> dict[str, tuple[float, float]]:
    """Where on the page each part begins that stays, and where the sentence ends."""
    narrow = page.evaluate("innerWidth < 700")
    boxes = {name: box(page.locator(name)) for name in (ON_A_PHONE if narrow else STANDS)}
    scrolled = page.evaluate("scrollY")
    found = {name: (place["x"], place["y"] + scrolled) for name, place in boxes.items()}
    text = boxes["#text"]
    end = text["y"] + scrolled + text["height"]
    return {**found, "end": (text["x"] + text["width"], end)}


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_a_number_that_cannot_be_gives_way_to_the_default_and_nothing_moves(
    elsewhere: Opens, viewport: dict[str, int]
) -> None:
    window = refused(elsewhere, "/?d_model=0", viewport=viewport)
    page = window.page
    expect(page.locator("#notice")).to_contain_text("it must be at least 1")
    for tab in page.get_by_role("tab").all():
        expect(tab).to_be_disabled()
    expect(page.get_by_role("button", name="Step by step")).to_be_disabled()
    before = places(page)
    body = window.ask(page.get_by_role("button", name="Use the default value").click)
    assert body["model"]["d_model"] == 64
    window.canvas("weights").wait_for()
    page.locator("#change button[aria-pressed]").first.wait_for()
    expect(page.locator("#notice")).to_be_empty()
    expect(page.get_by_role("tab", name="Heads")).to_be_enabled()
    assert places(page) == before


def test_the_setting_that_is_wrong_is_found_where_it_is_folded_away(elsewhere: Opens) -> None:
    phone = refused(elsewhere, "/?d_model=0", viewport=PHONE)
    expect(phone.page.locator("#options > .summary-line")).to_have_attribute(
        "aria-expanded", "true"
    )
    expect(phone.field("d_model")).to_have_attribute("aria-invalid", "true")
    phone.ask(lambda: phone.field("d_model").fill("8"))
    phone.canvas("weights").wait_for()
    desk = refused(elsewhere, "/?num_layers=0")
    desk.page.get_by_role("button", name="Show the setting").click()
    expect(desk.field("layers")).to_be_focused()


def test_the_field_that_was_touched_is_blamed_and_the_words_stay(elsewhere: Opens) -> None:
    window = refused(elsewhere, "/?d_model=7&text=a%20b")
    page = window.page
    expect(window.field("d_model")).to_have_attribute("aria-invalid", "true")
    expect(window.field("heads")).not_to_have_attribute("aria-invalid", "true")
    body = window.ask(page.get_by_role("button", name="Use the default value").click)
    assert (body["model"]["d_model"], body["text"]) == (64, "a b")
    window.canvas("weights").wait_for()


def test_a_refusal_calls_a_field_by_its_label(elsewhere: Opens) -> None:
    page = refused(elsewhere, "/?num_heads=999").page
    expect(page.locator("#notice")).to_contain_text("“heads” is 999: it must be at most")
    page = refused(elsewhere, "/?num_heads=999&lang=zh").page
    expect(page.locator("#notice")).to_contain_text("“头数”")


def test_a_model_that_is_gone_leads_to_a_file_or_to_seeded_weights(elsewhere: Opens) -> None:
    window = refused(elsewhere, f"/?source=uploaded&id={GONE}&text=a%20b", viewport=PHONE)
    page = window.page
    notice = page.locator("#notice")
    with page.expect_file_chooser():
        notice.get_by_role("button", name="Choose a file…").click()
    body = window.ask(notice.get_by_role("button", name="Use seeded weights").click)
    assert (body["model"]["source"], body["text"]) == ("seeded", "a b")
    window.canvas("weights").wait_for()


@pytest.mark.parametrize("query", ["name=nope", "name=echo&revision=step-7"])
def test_a_model_that_is_not_on_the_server_gives_way_to_one_that_is(
    elsewhere: Opens, query: str
) -> None:
    window = elsewhere(None)
    window.page.goto(f"{window.url}/?text=a%20b&source=installed&{query}")
    way = window.page.get_by_role("button", name="Use the default value")
    body = window.ask(way.click)
    assert body["model"] == {"source": "installed", "name": "echo"}
    expect(window.sentence).to_have_value("a b")


def test_without_a_file_the_way_on_is_told_too(elsewhere: Opens) -> None:
    window = refused(elsewhere, "/?source=uploaded")
    window.ask(window.page.get_by_role("button", name="Use seeded weights").click)
    window.canvas("weights").wait_for()


def test_a_link_that_leads_nowhere_covers_nothing(elsewhere: Opens) -> None:
    window = elsewhere(f"/?t={GONE}", viewport=PHONE)
    told = window.page.get_by_role("alert").filter(has_text="This link leads nowhere.")
    over, sentence = box(told), box(window.sentence)
    assert over["y"] + over["height"] <= sentence["y"]
    told.get_by_role("button").click()
    expect(told).to_be_hidden()


def test_an_emptied_sentence_leaves_the_page_as_it_stands(explore: Explore) -> None:
    page = explore.page
    page.locator("#change button[aria-pressed]").first.wait_for()
    before = places(page)
    explore.sentence.fill("")
    page.locator("body[data-bare]").wait_for()
    expect(explore.canvas("weights")).to_be_hidden()
    expect(page.get_by_role("tab", name="Heads")).to_be_disabled()
    assert places(page) == before
    explore.ask(lambda: explore.sentence.fill("it is tired"))
    expect(explore.canvas("weights")).to_be_visible()
    expect(page.get_by_role("tab", name="Heads")).to_be_enabled()


def test_examples_are_offered_where_nothing_was_answered(elsewhere: Opens) -> None:
    window = refused(elsewhere, "/?temperature=0")
    window.page.locator("#examples summary").click()
    entry = window.page.get_by_role("button", name="Family outing, one head")
    window.ask(entry.click)
    window.canvas("weights").wait_for()
    expect(window.page.locator("body[data-bare]")).to_have_count(0)
