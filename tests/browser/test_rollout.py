"""Rollout on a phone: it fits, and a cell is read aloud."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from playwright.sync_api import expect

from tests.browser.hands import Explore, fits, until
from tests.browser.pixels import alike, centres, painted

QUESTION = "/?tab=heads&rollout=true&num_layers=3&layer=2&d_model=16&text=the%20cat%20sat%20again"


def test_a_rollout_fits_a_phone_and_is_read_by_key(elsewhere: Callable[..., Explore]) -> None:
    phone = elsewhere(None, viewport={"width": 390, "height": 844})
    page = phone.page
    page.goto(f"{phone.url}{QUESTION}", wait_until="commit")
    together = page.locator(".together")
    grid = together.get_by_role("grid", name="weights, Rollout up to layer 2: 4 rows")
    grid.wait_for()
    fits(page, 390)
    cells = np.array(phone.of_trace("rollout", layer=2, batch=0)["maps"][0])
    wanted = painted(cells, phone.colours("sequential"), 0, 1)
    canvas = together.locator("canvas[data-head]")
    until(page, lambda: alike(centres(canvas, 4, 4), wanted), "the rollout is drawn")
    grid.focus()
    page.keyboard.press("ArrowRight")
    expect(together.locator("[aria-live]")).to_have_text("the → cat: 0.000")
