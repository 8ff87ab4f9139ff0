"""Positions and blocks, from the choice to the operands between the stages."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.hands import Explore


def test_a_block_with_rotary_positions_is_chosen_and_explained(window: Explore) -> None:
    window.open("/?text=one%20two%20three")
    window.more()
    pre_norm = "pre-norm: x + attention(LN x)"
    window.ask(lambda: window.field("positions").select_option("rotary"))
    window.ask(lambda: window.field("block(?! size)").select_option(pre_norm))
    body = window.ask(lambda: window.field("MLP").check())
    window.shows(body, ("weights", "block_output"))
    window.page.keyboard.press("Escape")
    window.click("q", (1, 3), (3, 16))
    inspector = window.inspector
    inspector.get_by_role("button", name=re.compile("^q before rotation.*:")).first.click()
    expect(inspector.get_by_role("button", name=re.compile(r"^LN\(x\) .*:")).first).to_be_visible()
