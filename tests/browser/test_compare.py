"""Two questions side by side in a browser: from the first edit to the explanation of a cell."""

from __future__ import annotations

import re
from urllib.parse import quote

from playwright.sync_api import Locator, Page, expect

from tests.browser.hands import Explore, box, fits, middle


def figure(page: Page, stage: str, of: str) -> Locator:
    return page.locator(f'[data-stage="{stage}"] [data-of="{of}"]')


def test_two_questions_are_edited_compared_cell_by_cell_and_explained(window: Explore) -> None:
    page, number = window.page, re.compile("[0-9]")
    window.open("/?text=a%20cat%20sat&d_model=8&num_heads=2")
    page.get_by_role("button", name="Compare with").click()
    right = page.get_by_role("region", name="B", exact=True)
    right.get_by_role("textbox", name="Sentence").fill("a black cat sat")
    expect(page).to_have_url(re.compile(rf"b\.text={quote('a black cat sat')}"))
    page.get_by_label("Tokens aligned by").select_option("edit distance")
    labels = figure(page, "weights", "difference").locator(".labels .row")
    expect(labels).to_have_text(["a", "black", "cat", "sat"])

    figure(page, "weights", "b").get_by_role("button", name="Enlarge weights").click()
    large = page.get_by_role("dialog", name="weights: B")
    expect(large.get_by_role("grid")).to_be_focused()
    page.reload()
    expect(large).to_be_visible()
    page.keyboard.press("Escape")
    expect(large).to_be_hidden()
    nothing_is_wider_than_the_window(window)

    canvas = figure(page, "weights", "a").locator("canvas")
    canvas.scroll_into_view_if_needed()
    page.mouse.move(*middle(canvas, (1, 0), (3, 3)))
    shared = page.get_by_role("region", name="Selection and values")
    expect(shared.get_by_role("definition")).to_have_text([number] * 3)
    page.mouse.click(*middle(canvas, (1, 0), (3, 3)))
    inspector = window.inspector
    expect(window.value).to_have_text([number] * 3)
    line = inspector.get_by_text("The first stage that differs: ")
    assert box(line)["y"] < box(inspector.get_by_role("heading", name="weights"))["y"]

    explained = window.value.nth(1).text_content()
    inspector.get_by_role("link", name="explain in B").click()
    expect(window.value).to_have_text(explained or "")
    page.go_back()
    expect(window.value).to_have_text([number] * 3)


def nothing_is_wider_than_the_window(window: Explore) -> None:
    page = window.page
    figure(page, "weights", "difference").locator("canvas[data-layer]").wait_for()
    pictures = page.get_by_role("region", name="Stages", exact=True)
    table = page.get_by_role("region", name="Differences at every stage")
    assert box(pictures)["y"] < box(table)["y"]
    size = page.viewport_size or {"width": 1440, "height": 900}
    for width in (390, 1024):
        page.set_viewport_size({"width": width, "height": 844})
        fits(page, width)
    page.set_viewport_size(size)
