"""A model on the server is chosen by name, with a revision, and a text that is too long for it."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has


def test_a_model_and_its_revision_are_chosen_and_a_long_text_is_cut(explore: Explore) -> None:
    page = explore.page
    body = explore.ask(lambda: explore.field("Model").select_option("installed:echo"))
    assert body["model"] == {"source": "installed", "name": "echo"}
    body = explore.ask(lambda: explore.field("training").select_option(label="step 400"))
    address_has(page, "source=installed", "name=echo", "revision=step-400")
    explore.shows(body)
    explore.sentence.fill("Harry " * 200 + "end")
    cut = page.get_by_role("button", name="End the text there")
    cut.click()
    expect(cut).to_have_count(0)
    expect(page.get_by_text("128 tokens", exact=True)).to_be_visible()
    expect(explore.sentence).to_be_focused()
    expect(explore.sentence).to_have_value(re.compile(r"Harry$"))
