"""The sentence as the first picture: arcs and words follow the weights; hands and keys reach it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import SEEDED, Explore, box, until
from tests.browser.pixels import stage_cells

Opens = Callable[..., Explore]
INDUCTION = "/?source=crafted&name=induction&layer=1&text=the%20cat%20sat%20and%20the"


def token(explore: Explore, at: int, axis: str = "query") -> Locator:
    return explore.page.locator(f'#looks .sentence-tokens.axis-{axis} [data-at="{at}"]')


def line(explore: Explore) -> Locator:
    return explore.page.locator("#looks .seen-line")


def arcs(explore: Explore) -> list[float]:
    """How thick the arcs of the token are that is seen."""
    widths: list[float] = explore.page.locator("#looks .own path").evaluate_all(
        "(all) => all.map((each) => Number(each.getAttribute('stroke-width')))"
    )
    return widths


def test_the_strongest_look_is_seen_and_told_with_its_number(explore: Explore) -> None:
    explore.open(INDUCTION)
    expect(line(explore)).to_have_text(
        "Layer 1, head 0: the₄ looks at cat, which followed the before, 1.00."
    )
    expect(token(explore, 4)).to_have_class(re.compile("seen"))
    expect(token(explore, 1)).to_contain_text("1.00")
    assert len(arcs(explore)) == 1


def test_arcs_are_as_thick_as_the_weights_of_the_token_that_is_pointed_at(explore: Explore) -> None:
    explore.open("/?text=a%20b%20c%20d")
    weights = stage_cells(explore.answer(explore.question()), "weights", 0, 0, 0)
    token(explore, 3).hover()
    widths = until(explore.page, lambda: len(found := arcs(explore)) == 4 and found, "four arcs")
    thick = sorted(weights[3])
    for width, weight in zip(widths, thick, strict=True):
        assert abs(width / widths[-1] - weight / thick[-1]) < 0.02
    expect(explore.card("weights").locator(".readout")).to_contain_text(f"{thick[-1]:.3f}")
    expect(line(explore)).to_contain_text(f"{thick[-1]:.2f}")


def test_a_pressed_token_is_pinned_with_its_strongest_weight(explore: Explore) -> None:
    explore.open("/?text=a%20b%20c%20d")
    weights = stage_cells(explore.answer(explore.question()), "weights", 0, 0, 0)
    token(explore, 2).click()
    expect(explore.page).to_have_url(re.compile(rf"cell=weights\.2\.{weights[2][:3].argmax()}"))
    expect(token(explore, 2)).to_have_attribute("aria-selected", "true")
    expect(explore.inspector.locator(".value output")).to_have_text(f"{weights[2][:3].max():.3f}")
    token(explore, 2).click()
    expect(explore.page).not_to_have_url(re.compile("cell="))


def test_the_tokens_are_walked_with_arrows_and_told_aloud(explore: Explore) -> None:
    explore.open("/?text=a%20b%20c%20d")
    keyboard = explore.page.keyboard
    token(explore, 0).focus()
    keyboard.press("End")
    expect(token(explore, 3)).to_be_focused()
    keyboard.press("ArrowLeft")
    expect(token(explore, 2)).to_be_focused()
    expect(line(explore)).to_contain_text("c looks at")
    expect(line(explore)).to_have_attribute("role", "status")
    keyboard.press("Enter")
    expect(token(explore, 2)).to_have_attribute("aria-selected", "true")
    keyboard.press("Escape")
    expect(token(explore, 2)).to_have_attribute("aria-selected", "false")
    names = explore.page.locator("#looks").get_by_role("option")
    expect(names.nth(1)).to_have_attribute("aria-label", re.compile(r"^b 0\.\d\d, token 1$"))


def test_a_chip_selects_its_head_everywhere_and_bears_its_name(explore: Explore) -> None:
    explore.open(INDUCTION)
    chips = explore.page.locator("#looks .head-chip")
    expect(chips.nth(0)).to_have_text("L0 H0previous 1.00")
    expect(chips.nth(0)).to_have_attribute(
        "title", re.compile("mean weight on the token just before")
    )
    expect(chips.nth(1)).to_have_attribute("aria-pressed", "true")
    chips.nth(0).click()
    expect(explore.page).not_to_have_url(re.compile("layer="))
    expect(explore.canvas("weights")).to_have_attribute("data-layer", "0")
    expect(line(explore)).to_contain_text("the token before it")
    explore.page.keyboard.press("ArrowRight")
    expect(chips.nth(1)).to_be_focused()
    expect(explore.canvas("weights")).to_have_attribute("data-layer", "1")


def test_with_a_context_queries_look_down_at_keys(explore: Explore) -> None:
    explore.open("/?text=die%20Katze&context=the%20cat%20sat")
    expect(token(explore, 2, "key")).to_have_text(re.compile("^sat"))
    token(explore, 1).hover()
    until(explore.page, lambda: len(arcs(explore)) == 3, "an arc to each key")
    assert box(token(explore, 0, "key"))["y"] > box(token(explore, 1))["y"] + 60
    token(explore, 0, "key").hover()
    expect(line(explore)).to_have_text(re.compile(r"(die|Katze) looks at the most, 0\.\d\d\.$"))


def test_of_a_batch_it_is_the_sentence_that_is_seen_without_padding(explore: Explore) -> None:
    explore.open("/?text=a%20b%0Ac%20d%20e")
    tokens = explore.page.locator("#looks .sentence-tokens li:visible")
    expect(tokens).to_have_count(2)
    explore.page.locator("#tokens select").select_option(index=1)
    expect(tokens).to_have_count(3)


def test_a_long_text_is_written_around_the_token_that_is_seen(explore: Explore) -> None:
    words = "%20".join(f"w{at}" for at in range(200))
    explore.open(f"/?text={words}&cell=weights.150.3")
    tokens = explore.page.locator("#looks .sentence-tokens li:visible")
    expect(tokens).to_have_count(64)
    expect(explore.page.locator("#looks")).to_contain_text("of 200")
    token(explore, 150).focus()
    explore.page.keyboard.press("End")
    expect(token(explore, 199)).to_be_focused()


def test_a_long_text_follows_a_pointer_that_rests_on_a_card(explore: Explore) -> None:
    words = "%20".join(f"w{at}" for at in range(200))
    explore.open(f"/?text={words}&cell=weights.10.3")
    expect(token(explore, 10)).to_be_visible()
    explore.canvas("weights").scroll_into_view_if_needed()
    before = box(explore.canvas("weights"))["y"]
    for row in (120, 180):
        explore.hover("weights", (row, 1), (200, 200))
        expect(explore.card("weights").locator(".readout")).to_contain_text(f"w{row} → w1")
        expect(token(explore, row)).to_have_class(re.compile("seen"))
        assert abs(box(explore.canvas("weights"))["y"] - before) < 1.5  # under the pointer still
    expect(token(explore, 10)).to_have_count(0)


def test_a_pointer_over_a_card_leaves_the_tokens_of_a_short_text_as_they_are(
    explore: Explore,
) -> None:
    token(explore, 2).evaluate("(e) => { e.kept = true; }")
    place = box(explore.canvas("weights"))
    explore.page.mouse.move(place["x"] + 5, place["y"] + place["height"] - 5)
    expect(token(explore, 11)).to_have_class(re.compile("seen"))
    assert token(explore, 2).evaluate("(e) => e.kept === true")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_one_token_and_a_dropped_head_are_told_as_what_they_are(
    explore: Explore, lang: str
) -> None:
    explore.open(f"/?text=hi&drop=0.0&lang={lang}")
    words = explore.page_data()["messages"]
    expect(line(explore)).to_contain_text(words["sentence.gone"])
    expect(line(explore)).to_contain_text("1.00")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (720, 450), (390, 844), (320, 640)])
def test_it_is_seen_at_once_and_its_arcs_reach_their_tokens(
    elsewhere: Opens, width: int, height: int
) -> None:
    window = elsewhere(viewport={"width": width, "height": height})
    seen = box(window.page.locator("#looks .sentence-tokens li.seen > span"))
    assert seen["y"] + seen["height"] < height
    ends = window.page.locator("#looks .own path").evaluate_all(
        "(all) => all.map((path) => { const { x, y } = path.getPointAtLength(0);"
        " const at = new DOMPoint(x, y).matrixTransform(path.getScreenCTM());"
        " return [at.x, at.y]; })"
    )
    for x, y in ends:
        assert seen["x"] - 1 <= x <= seen["x"] + seen["width"] + 1
        assert seen["y"] - 1 <= y <= seen["y"] + seen["height"] + 1


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_many_tokens_scroll_in_a_part_of_the_window(
    elsewhere: Opens, size: tuple[int, int]
) -> None:
    """And the token that is seen is among those in sight."""
    words = "%20".join(f"word{at}" for at in range(300))
    viewport = dict(zip(("width", "height"), size, strict=True))
    page = elsewhere(f"{SEEDED}&text={words}&cell=weights.290.3", viewport=viewport).page
    view = page.locator(".sentence-view")
    expect(view.locator(".seen")).to_have_text("word290")
    assert box(view)["height"] <= 0.36 * size[1]

    def seen() -> bool:
        own, around = box(view.locator(".seen")), box(view)
        below = own["y"] + own["height"] <= around["y"] + around["height"] + 20
        return around["y"] <= own["y"] and below

    until(page, seen, "the token is in sight")
