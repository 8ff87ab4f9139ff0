"""Nothing on the page moves when an answer takes the place of a refusal, or goes."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.browser.hands import Explore, box, until

PHONE = {"width": 390, "height": 844}
GONE = "0" * 32
STANDS = ("#text", "#options > .summary-line", "#looks", "#tabs", "#show", '[data-stage="x"]')
# Below a phone's picture of the sentence, which has as many lines as the sentence, things move.
ON_A_PHONE = STANDS[:3]


def places(page: Page) -> dict[str, tuple[float, float]]:
    """Where on the page each part begins that stays, and where the sentence ends."""
    narrow = page.evaluate("innerWidth < 700")
    boxes = {name: box(page.locator(name)) for name in (ON_A_PHONE if narrow else STANDS)}
    scrolled = page.evaluate("scrollY")
    found = {name: (place["x"], place["y"] + scrolled) for name, place in boxes.items()}
    text = boxes["#text"]
    end = text["y"] + scrolled + text["height"]
    return {**found, "end": (text["x"] + text["width"], end)}


def gives_way(window: Explore) -> dict[str, tuple[float, float]]:
    """Opens a refused setting and presses its default; where everything stands all the while."""
    page = window.page
    page.goto(f"{window.url}/?d_model=0", wait_until="commit")
    page.locator("body[data-bare]").wait_for()
    expect(page.locator("#notice strong")).to_be_visible()
    way = page.get_by_role("button", name="Use the default value")
    expect(way).to_be_visible()
    before = places(page)
    window.ask(way.click)
    window.canvas("weights").wait_for()
    page.locator("#change button[aria-pressed]").first.wait_for()
    assert places(page) == before
    return before


def test_at_a_desk_nothing_moves_with_an_answer_nor_without_words(window: Explore) -> None:
    page, before = window.page, gives_way(window)
    window.sentence.fill("")
    page.locator("body[data-bare]").wait_for()
    expect(window.canvas("weights")).to_be_hidden()
    expect(window.tab("Heads")).to_be_disabled()
    assert places(page) == before


def test_on_a_phone_nothing_moves_and_a_refusal_leads_to_a_file(
    elsewhere: Callable[..., Explore],
) -> None:
    window = elsewhere(None, viewport=PHONE)
    page = window.page
    gives_way(window)
    held: list[Route] = []
    page.route("**/question/upload.js", lambda route: held.append(route))
    page.goto(f"{window.url}/?source=uploaded&id={GONE}", wait_until="commit")
    until(page, lambda: held, "the field of files is fetched")
    page.locator("#options .more .panel > *").first.wait_for(state="attached")
    expect(page.locator("#notice").get_by_role("button")).to_have_count(0)  # there is no field yet
    held[0].continue_()
    with page.expect_file_chooser():
        page.locator("#notice").get_by_role("button", name="Choose a file…").click()
    window.open(f"/?t={GONE}")
    message = page.get_by_role("alert").filter(has_text="This link leads nowhere.")
    over, sentence = box(message), box(window.sentence)
    assert over["y"] + over["height"] <= sentence["y"]
