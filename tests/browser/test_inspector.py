"""The light over pictures, and a cell followed to what it was made of, by hand in a browser."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, until, written
from tests.browser.pixels import stage_cells

CELL = (7, 1)  # it → animal


def lit(explore: Explore, stage: str, dark: np.ndarray) -> tuple[slice, slice] | None:
    """The box around every pixel of a picture that changed; None where none did."""
    changed = np.abs(explore.photograph(explore.canvas(stage)) - dark).sum(axis=-1) > 30
    if not changed.any():
        return None
    down, across = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    return slice(down[0], down[-1] + 1), slice(across[0], across[-1] + 1)


def around(box: tuple[slice, slice], size: tuple[int, ...], row: int, rows: int) -> bool:
    """Whether a box is one row of a picture, from side to side."""
    high, margin = size[0] / rows, 4
    down, across = box
    return (
        abs(down.start - row * high) <= margin
        and abs(down.stop - (row + 1) * high) <= margin
        and across.stop - across.start >= size[1] - 2 * margin
    )


def operand(explore: Explore, stage: str) -> Locator:
    return explore.inspector.get_by_role("button", name=re.compile(rf"^{stage}\b.*:"))


def test_a_cell_lights_what_it_came_from_and_is_followed_to_it(explore: Explore) -> None:
    reply = explore.answer(explore.question())
    n = reply["shape"]["n"]
    dark = {stage: explore.photograph(explore.canvas(stage)) for stage in ("q", "k", "output")}
    explore.hover("weights", CELL, (n, n))
    for stage, row in (("q", CELL[0]), ("k", CELL[1])):
        box = until(explore.page, lambda: lit(explore, stage, dark[stage]), f"{stage} lights up")  # noqa: B023
        assert around(box, dark[stage].shape, row, n), f"{stage}: {box}"
    assert lit(explore, "output", dark["output"]) is None, "output comes after the weights"
    explore.page.mouse.move(0, 0)
    until(explore.page, lambda: lit(explore, "q", dark["q"]) is None, "the light goes out")

    output = explore.value
    for stage in ("weights", "scores"):
        explore.click(stage, CELL, (n, n))
        expect(output).to_have_text(written(stage_cells(reply, stage, 0, 0, 0)[CELL]))
    for stage in ("q", "x"):
        operand(explore, stage).first.click()
        expect(output).to_have_text(written(stage_cells(reply, stage, 0, 0, 0)[7, 0]))
    explore.page.go_back()
    expect(explore.inspector.get_by_role("heading", level=2)).to_contain_text(re.compile("^q"))
    explore.inspector.get_by_role("button", name="Let go of the cell").click()
    expect(output).to_be_hidden()

    picked = explore.page.get_by_role("region", name="Picked tokens").locator(".bars")
    explore.tokens.get_by_role("option").first.click()
    expect(picked).to_be_visible()
    explore.sentence.fill("")
    expect(picked).to_be_hidden()
