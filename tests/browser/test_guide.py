"""How to read this page: each tab in its own words, which hold when they are tried."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore

TABS = ("stages", "heads", "lines", "gradients", "parameters", "worth", "decode", "lab")
SMALL = "text=a%20b%20c&d_model=8&num_heads=2"


def told(explore: Explore) -> Locator:
    return explore.inspector.locator(".guide li")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_tab_is_told_in_its_own_words(explore: Explore, language: str) -> None:
    explore.open(f"/?{SMALL}&lang={language}")
    told(explore).first.wait_for()
    messages, said = explore.page_data()["messages"], set()
    for tab in TABS:
        explore.page.locator(f"#tab-{tab}").click()
        silent = "worth_silent" if tab == "worth" else tab  # seeded weights predict nothing
        words = [messages[f"guide.{tab}.{part}"] for part in ("drawn", "colours")]
        words += [messages[f"guide.{silent}.{part}"] for part in ("press", "first")]
        for at, sentence in enumerate(words):
            expect(told(explore).nth(at)).to_have_text(sentence)
        said |= set(words)
    assert len(said) == 4 * len(TABS)


def test_a_pinned_cell_is_told_on_every_tab(explore: Explore) -> None:
    explore.open(f"/?{SMALL}&cell=weights.2.1")
    value = explore.inspector.locator(".value output")
    text = value.text_content() or ""
    explore.page.locator("#tab-decode").click()
    expect(value).to_have_text(text)
    expect(told(explore)).to_have_count(0)


def test_a_press_does_what_is_said_of_it(explore: Explore) -> None:
    page, inspector = explore.page, explore.inspector
    explore.open(f"/?{SMALL}")
    page.locator("#tab-heads").click()
    page.locator(".together .plot").click(position={"x": 4, "y": 4})
    expect(inspector.locator("h2")).to_have_text("weightsa → a")
    page.locator("#tab-parameters").click()
    page.locator('[data-tensor="w_q"] .plot').click(position={"x": 4, "y": 4})
    expect(inspector.locator("h2")).to_contain_text("d_model 0")
    expect(page.get_by_label("Change this number").get_by_role("textbox")).to_be_enabled()
    page.locator("#tab-lines").click()
    page.get_by_role("listbox", name="Queries").get_by_role("option").nth(2).click()
    expect(page.locator("#picked")).to_contain_text("c")
    page.locator("#tab-gradients").click()
    page.locator('.gradients [data-stage="output"] canvas[data-head]').wait_for()
    page.locator('.gradients [data-stage="output"] .plot').click(position={"x": 4, "y": 4})
    expect(page.get_by_label("f is")).to_have_value("cell")


def test_what_is_to_be_tried_can_be_tried(explore: Explore) -> None:
    page = explore.page
    explore.open(f"/?{SMALL}")
    page.locator("#tab-heads").click()
    page.get_by_role("combobox", name="Metric").select_option(label="on previous token")
    page.get_by_label("largest first").check()
    expect(page.get_by_role("grid", name="Layer and head").get_by_role("gridcell")).to_have_count(2)
    page.locator("#tab-parameters").click()
    page.locator("#panel-parameters .choices button").nth(4).click()
    expect(page.locator("#panel-parameters")).to_contain_text("attract each other")
    page.locator("#tab-lab").click()
    page.get_by_role("button", name="Precision").click()
    expect(page.get_by_role("button", name="Make it overflow")).to_be_enabled()


def test_where_a_change_is_drawn_the_colours_are_those_of_the_change(explore: Explore) -> None:
    explore.open(f"/?{SMALL}")
    explore.page.locator("#tab-heads").click()
    words = explore.page_data()["messages"]
    expect(told(explore).nth(1)).to_have_text(words["guide.heads.colours"])
    explore.ask(lambda: explore.field("seed").fill("1"))
    explore.page.get_by_role("button", name="Show change").click()
    expect(told(explore).nth(1)).to_have_text(words["guide.since.colours"])
    explore.page.locator("#tab-lines").click()
    expect(told(explore).nth(1)).to_have_text(words["guide.lines.colours"])
    explore.page.locator("#tab-heads").click()
    explore.page.keyboard.press("Escape")
    expect(told(explore).nth(1)).to_have_text(words["guide.heads.colours"])
