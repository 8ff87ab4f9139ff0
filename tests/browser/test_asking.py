"""Typing in a browser: the picture follows the last text, and is dimmed while a slow one comes."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from tests.browser.hands import ATTENTION, Explore, until

OPACITY = "(element) => Number(getComputedStyle(element).opacity)"


def test_text_typed_by_hand_is_answered_dimmed_while_it_is_slow_and_kept_without_a_server(
    explore: Explore,
) -> None:
    page, held = explore.page, list[Route]()
    pipeline = explore.panel("Stages")
    explore.sentence.fill("")
    expect(page.get_by_text("Nothing to attend to yet.")).to_be_visible()
    explore.sentence.press_sequentially("I love pizza")
    until(page, lambda: explore.question()["text"] == "I love pizza", "it is asked")
    explore.shows(explore.question())

    page.route(ATTENTION, lambda route: held.append(route))
    explore.sentence.press_sequentially(" a lot")
    # Slow typing makes a question of its beginning too.
    whole = "I love pizza a lot"
    until(page, lambda: held and whole in held[-1].request.post_data, "it is asked")
    until(page, lambda: pipeline.evaluate(OPACITY) < 1, "the old picture is dimmed")
    held[-1].continue_()
    until(page, lambda: pipeline.evaluate(OPACITY) == 1, "the new one is not")

    page.unroute(ATTENTION)
    page.route(ATTENTION, lambda route: route.abort("connectionrefused"))
    explore.sentence.press_sequentially(" more")
    said = page.get_by_role("status").filter(has_text="The server does not answer.")
    expect(said).to_be_visible()
    expect(explore.canvas("weights")).to_be_visible()
    page.unroute(ATTENTION)
    page.get_by_role("button", name="Try again").click()
    expect(said).to_be_hidden()
    explore.shows({**explore.question(), "text": "I love pizza a lot more"})
