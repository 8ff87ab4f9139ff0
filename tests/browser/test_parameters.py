"""Parameters by hand: the head's own part of a picture, and tokens followed by pointer and keys."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, address_has, box, until, written
from tests.browser.pixels import alike, centres, painted


def panel(explore: Explore) -> Locator:
    return explore.panel("Parameters")


def own_part(explore: Explore, tensor: str) -> tuple[float, ...]:
    """The frame of the selected head's part: left, top and width in the picture, from 0 to 1."""
    figure = panel(explore).locator(f"[data-tensor={tensor}]")
    frame, plot = (box(figure.locator(one)) for one in (".own-part", ".plot"))
    return (
        (frame["x"] - plot["x"]) / plot["width"],
        (frame["y"] - plot["y"]) / plot["height"],
        frame["width"] / plot["width"],
    )


def test_parameters_are_drawn_with_the_heads_part_framed_and_tokens_are_followed(
    window: Explore,
) -> None:
    window.open("/?head=2&num_kv_heads=2&text=one%20two%20three")
    window.tab("Parameters").click()
    address_has(window.page, "tab=parameters")
    body = {**window.question(), "parameters": True}
    w_q = np.array(window.answer(body)["layers"][0]["parameters"]["w_q"])
    size = float(np.abs(w_q).max())
    colours = painted(w_q, window.colours("diverging"), -size, size)
    picture = panel(window).locator("[data-tensor=w_q] canvas[data-layer]")
    until(window.page, lambda: alike(centres(picture, *w_q.shape), colours), "the numbers of W_Q")
    assert own_part(window, "w_q") == pytest.approx((0.5, 0, 0.25), abs=0.02)
    assert own_part(window, "w_k") == pytest.approx((0.5, 0, 0.5), abs=0.02)
    assert own_part(window, "w_o") == pytest.approx((0, 0.5, 1), abs=0.02)
    before, reading = panel(window).locator(".planes svg").first, panel(window).locator(".reading")
    expect(reading).to_contain_text("σ₁ = ")
    before.locator(".token-dot").nth(1).locator(".target").hover(force=True)
    flat = window.of_trace("spectrum", head=2)["heads"][0]["geometry"]["w_q"]
    places = [
        "(" + ", ".join(written(v, 2) for v in flat[side][1]) + ")"
        for side in ("tokens_left", "tokens_right")
    ]
    expect(reading).to_have_text(f"two: {places[0]} → {places[1]}")
    expect(panel(window).locator(".planes:not(.more) .token-dot.met")).to_have_count(2)
    expect(panel(window).locator(".planes.more .token-dot.met")).to_have_count(2)
    window.page.mouse.move(0, 0)
    before.focus()
    for _ in range(3):
        window.page.keyboard.press("ArrowRight")
    expect(reading).to_contain_text("three: ")
