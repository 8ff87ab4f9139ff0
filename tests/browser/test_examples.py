"""The examples menu holds every worked example, and shows the published figures beside ours."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, until
from tests.browser.pixels import CENTRES


@pytest.fixture
def examples(explore: Explore) -> list[dict[str, Any]]:
    return explore.page.request.get(f"{explore.url}/api/v1/examples").json()["examples"]


def menu(explore: Explore) -> Locator:
    explore.page.get_by_text("Examples", exact=True).click()
    return explore.page.locator("#examples")


def entry(explore: Explore, example: dict[str, Any]) -> Locator:
    name = re.compile(re.escape(f"{example['title']} {example['about']}"))
    return menu(explore).get_by_role("button", name=name)


def test_the_menu_holds_every_example_by_its_title(
    explore: Explore, examples: list[dict[str, Any]]
) -> None:
    items = menu(explore).get_by_role("listitem")
    for example in examples:
        listed = items.filter(has_text=example["title"]).filter(has_text=example["about"])
        expect(listed.first).to_be_visible()
    assert len(examples) >= 20


def test_every_worked_example_opens_with_published_and_computed_figures(
    explore: Explore, examples: list[dict[str, Any]]
) -> None:
    worked = [e for e in examples if e["figures"]]
    assert len(worked) >= 10
    for example in worked:
        entry(explore, example).click()
        box = explore.inspector
        expect(box.get_by_role("heading", name=example["title"])).to_be_visible()
        figures = box.get_by_role("listitem").filter(has_text="published")
        expect(figures).to_have_count(len(example["figures"]))
        for index, figure in enumerate(example["figures"]):
            verdict = "agrees" if figure["agrees"] else "differs"
            expect(figures.nth(index)).to_contain_text(verdict)
            expect(figures.nth(index)).to_contain_text("computed")
            if figure["why"]:
                expect(figures.nth(index)).to_contain_text(figure["why"])


def test_an_opened_example_is_drawn_from_its_own_numbers(
    explore: Explore, examples: list[dict[str, Any]]
) -> None:
    known = {example["id"]: example for example in examples}
    for name in ("family-outing", "causal-four", "crafted-previous-token", "cat-fish"):
        body = explore.ask(entry(explore, known[name]).click)
        explore.shows(body, ["x", "scores", "weights"])
    expect(explore.sentence).to_have_value("猫爱吃鱼")


def test_a_small_example_writes_its_numbers_into_the_cells(
    explore: Explore, examples: list[dict[str, Any]]
) -> None:
    example = next(e for e in examples if e["id"] == "family-outing")
    body = explore.ask(entry(explore, example).click)
    reply = explore.shows(body, ["weights"])
    for row in reply["layers"][0]["weights"][0][0]:
        for weight in row:
            expect(explore.card("weights")).to_contain_text(f"{weight:.3f}")


def test_an_example_stays_when_the_page_is_reloaded(
    explore: Explore, examples: list[dict[str, Any]]
) -> None:
    example = next(e for e in examples if e["id"] == "three-tensor")
    body = explore.ask(entry(explore, example).click)
    explore.shows(body, ["q", "weights"])
    explore.page.reload()
    explore.shows(body, ["q", "weights"])
    expect(explore.inspector.get_by_role("heading", name=example["title"])).to_be_visible()


def test_the_cards_draw_their_own_weights_when_they_are_seen_and_not_before(
    explore: Explore,
) -> None:
    explore.watch.forget()
    explore.open()
    assert not [r.url for r in explore.watch.requests if "/stages/weights" in r.url]
    picture = menu(explore).locator(".gallery canvas").first
    until(explore.page, lambda: any(picture.evaluate(CENTRES, [4, 4])), "it has its picture")


def test_pressing_the_example_that_is_open_says_so(explore: Explore) -> None:
    menu(explore)
    card = explore.page.locator("#examples .gallery button[aria-current]")
    expect(card).to_contain_text("What is “it”?")
    card.click()
    expect(explore.page.locator("#examples").get_by_role("status")).to_contain_text("open already")
    expect(explore.page.locator("#examples .panel")).to_be_visible()


def test_without_examples_the_menu_says_so_and_the_page_works(explore: Explore) -> None:
    explore.page.route("**/api/v1/examples", lambda route: route.abort())
    explore.open()
    expect(menu(explore)).to_contain_text("No examples")
    explore.page.keyboard.press("Escape")
    explore.shows(explore.ask(lambda: explore.sentence.fill("still here")))
