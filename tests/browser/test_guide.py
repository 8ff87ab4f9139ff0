"""How to read this page: what the guide says of a press is done by the mouse."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.hands import Explore


def test_a_press_does_what_is_said_of_it(window: Explore) -> None:
    page, inspector = window.page, window.inspector
    window.open("/?text=a%20b%20c&d_model=8&num_heads=2")
    heading = inspector.get_by_role("heading", level=2)
    guide = inspector.locator(".guide li")
    window.tab("Heads").click()
    expect(guide.nth(1)).to_have_text(window.page_data()["messages"]["guide.heads.colours"])
    together = page.locator(".together")
    together.locator("canvas[data-head]").wait_for()
    together.get_by_role("grid").click(position={"x": 4, "y": 4})
    expect(heading).to_have_text("weightsa → a")
    expect(guide).to_have_count(0)
    window.tab("Parameters").click()
    parameters = page.get_by_role("figure", name="WQ")
    parameters.locator("canvas[data-layer]").wait_for()
    parameters.get_by_role("grid").click(position={"x": 4, "y": 4})
    expect(heading).to_contain_text("d_model 0")
    expect(page.get_by_label("Change this number").get_by_role("textbox")).to_be_enabled()
    window.tab("Gradients").click()
    output = window.panel("Gradients").locator('[data-stage="output"]')
    output.locator("canvas[data-head]").wait_for()
    output.get_by_role("grid").click(position={"x": 4, "y": 4})
    expect(page.get_by_label("f is")).to_have_value("cell")
