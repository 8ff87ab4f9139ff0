"""Hover and keys light what a cell came from; the inspector shows how it was made."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, expect
from safetensors.numpy import load

from tests.browser.hands import STAGES, Explore, until, written
from tests.browser.pixels import stage_cells

CELL = (7, 1)  # it → animal


@pytest.fixture
def reply(explore: Explore) -> dict[str, Any]:
    return explore.answer(explore.question())


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


def test_hovering_a_weight_lights_its_query_row_in_q_and_its_key_row_in_k(
    explore: Explore, reply: dict[str, Any]
) -> None:
    n = reply["shape"]["n"]
    dark = {stage: explore.photograph(explore.canvas(stage)) for stage in ("q", "k", "x", "output")}
    explore.hover("weights", CELL, (n, n))
    for stage, row in (("q", CELL[0]), ("k", CELL[1])):
        box = until(explore.page, lambda: lit(explore, stage, dark[stage]), f"{stage} lights up")  # noqa: B023
        assert around(box, dark[stage].shape, row, n), f"{stage}: {box}"
    assert lit(explore, "x", dark["x"]) is not None
    assert lit(explore, "output", dark["output"]) is None, "output comes after the weights"
    explore.page.mouse.move(0, 0)
    until(explore.page, lambda: lit(explore, "q", dark["q"]) is None, "the light goes out")


def test_hovering_says_which_cell_it_is_and_its_number(
    explore: Explore, reply: dict[str, Any]
) -> None:
    n = reply["shape"]["n"]
    explore.hover("weights", CELL, (n, n))
    value = stage_cells(reply, "weights", 0, 0, 0)[CELL]
    expect(explore.card("weights")).to_contain_text(written(value))
    expect(explore.card("weights")).to_contain_text("it → animal")


def test_a_click_shows_the_number_and_the_arithmetic_with_its_operands(
    explore: Explore, reply: dict[str, Any]
) -> None:
    n = reply["shape"]["n"]
    cells = {
        s: stage_cells(reply, s, 0, 0, 0) for s in ("weights", "scores", "scaled_scores", "q", "k")
    }
    explore.click("weights", CELL, (n, n))
    box = explore.inspector
    expect(box.get_by_role("heading", level=2)).to_contain_text("weights")
    expect(box.get_by_role("heading", level=2)).to_contain_text("it → animal")
    expect(box.locator("output")).to_have_text(written(cells["weights"][CELL]))
    expect(box.locator("math")).not_to_have_count(0)
    for stage in ("scores", "scaled_scores"):
        expect(box).to_contain_text(written(cells[stage][CELL]))
    explore.click("scores", CELL, (n, n))
    expect(box.locator("output")).to_have_text(written(cells["scores"][CELL]))
    for number in (*cells["q"][CELL[0]], *cells["k"][CELL[1]]):
        expect(box).to_contain_text(written(number))
    for name in ("q", "k"):
        expect(operand(explore, name)).to_have_count(16)


def test_the_inspector_tells_the_number_of_any_stage(
    explore: Explore, reply: dict[str, Any]
) -> None:
    for stage in STAGES:
        cells = stage_cells(reply, stage, 0, 0, 0)
        explore.click(stage, (4, 3), cells.shape)
        expect(explore.inspector.locator("output")).to_have_text(written(cells[4, 3]))
        if stage != "x":
            expect(
                explore.inspector.get_by_role("button", name=re.compile(":")).first
            ).to_be_visible()


def test_where_nothing_is_asked_no_number_of_the_answer_before_is_seen(explore: Explore) -> None:
    page = explore.page
    explore.open("/?text=a%20b%20c&picked=query.1")
    checks, picked = explore.inspector.locator(".checks"), page.locator("#picked .bars")
    expect(checks).to_be_visible()
    expect(picked).to_be_visible()
    explore.sentence.fill("")
    expect(checks).to_have_count(0)
    expect(picked).to_be_hidden()
    expect(explore.inspector.locator(".guide")).to_be_visible()
    explore.ask(lambda: explore.sentence.fill("a b c d"))
    explore.click("weights", (2, 1), (4, 4))
    output = explore.inspector.locator("output")
    expect(output).to_be_visible()
    explore.sentence.fill("")
    expect(output).to_have_count(0)
    explore.sentence.fill("a b c d")
    expect(output).to_be_visible()


def test_operands_lead_upstream_to_x_and_the_trail_leads_back(
    explore: Explore, reply: dict[str, Any]
) -> None:
    n = reply["shape"]["n"]
    explore.click("scores", CELL, (n, n))
    heading = explore.inspector.get_by_role("heading", level=2)
    output = explore.inspector.locator("output")
    operand(explore, "q").first.click()
    expect(heading).to_contain_text(re.compile("^q"))
    expect(output).to_have_text(written(stage_cells(reply, "q", 0, 0, 0)[7, 0]))
    operand(explore, "x").first.click()
    expect(heading).to_contain_text(re.compile("^x"))
    expect(output).to_have_text(written(stage_cells(reply, "x", 0, 0, 0)[7, 0]))
    trail = explore.inspector.get_by_role("navigation").get_by_role("button")
    expect(trail).to_have_count(2)
    trail.first.click()
    expect(heading).to_contain_text(re.compile("^scores"))
    explore.page.go_back()
    expect(heading).to_contain_text(re.compile("^x"))


def test_a_weight_matrix_is_an_operand_that_can_be_followed(
    explore: Explore, reply: dict[str, Any]
) -> None:
    explore.click("q", (2, 1), (reply["shape"]["n"], 16))
    operand(explore, "w_q").first.click()
    expect(explore.inspector.get_by_role("heading", level=2)).to_contain_text("w_q")
    expect(explore.inspector.locator("output")).to_have_text(re.compile(r"^−?0\.\d{3}$"))


def test_a_masked_cell_explains_itself(explore: Explore, reply: dict[str, Any]) -> None:
    n = reply["shape"]["n"]
    for stage, shown in (("masked_scores", "−∞"), ("weights", "0 (masked)")):
        explore.click(stage, (2, 7), (n, n))
        expect(explore.inspector.locator("output")).to_have_text(shown)
        expect(explore.inspector).to_contain_text(re.compile(r"\b(after|causal)\b"))


def test_padding_is_not_minus_infinity_where_nothing_is_masked(explore: Explore) -> None:
    explore.open("/?text=a%20cat&context_length=3")
    for stage, shown in (("x", "–"), ("scores", "–"), ("masked_scores", "−∞")):
        explore.open(f"/?text=a%20cat&context_length=3&cell={stage}.2.0&stage={stage}&table=true")
        expect(explore.inspector.locator("output")).to_have_text(shown)
        expect(explore.page.locator("#large tbody tr").nth(2).locator("td").nth(0)).to_have_text(
            shown
        )


def test_a_number_beyond_its_precision_is_infinite_on_the_card_and_in_the_inspector(
    explore: Explore,
) -> None:
    explore.open("/?text=a%20b%20c&dtype=float16&scale=100000&cell=scaled_scores.0.0")
    raw = explore.page.request.post(
        f"{explore.url}/api/v1/attention?format=safetensors",
        data={**explore.question(), "stages": ["scaled_scores"], "layers": [0], "heads": [0]},
    )
    row = load(raw.body())["layers.0.scaled_scores"][0, 0, 0]
    for col, value in enumerate(row):
        shown = "∞" if value > 0 else "−∞"
        explore.click("scaled_scores", (1, 1), (3, 3))
        explore.click("scaled_scores", (0, col), (3, 3))
        expect(explore.inspector.locator("output")).to_have_text(shown)
        expect(explore.card("scaled_scores").locator(".readout b")).to_have_text(shown)
    explore.open("/?text=a%20b%20c&dtype=float16&scale=100000&stage=scaled_scores&table=true")
    told = explore.page.locator("#large tbody tr").first.locator("td")
    expect(told).to_have_text(["∞" if value > 0 else "−∞" for value in row])


def test_the_arithmetic_of_one_cell_never_stands_under_the_name_of_another(
    explore: Explore, reply: dict[str, Any]
) -> None:
    n, held = reply["shape"]["n"], []
    explore.click("scores", CELL, (n, n))
    expect(explore.inspector.locator("output")).to_be_visible()
    explore.page.route("**/cells/**", lambda route: held.append(route))
    explore.click("scores", (3, 2), (n, n))
    expect(explore.inspector.locator(".place")).to_have_text("cross → didn't")
    expect(explore.inspector.locator("output")).to_be_hidden()
    until(explore.page, lambda: held, "the second cell is asked for")
    held[0].continue_()
    value = stage_cells(reply, "scores", 0, 0, 0)[3, 2]
    expect(explore.inspector.locator("output")).to_have_text(written(value))


def test_a_second_click_and_the_close_button_let_go(
    explore: Explore, reply: dict[str, Any]
) -> None:
    n, output = reply["shape"]["n"], explore.inspector.locator("output")
    explore.click("weights", CELL, (n, n))
    expect(output).to_be_visible()
    explore.click("weights", CELL, (n, n))
    expect(output).to_be_hidden()
    explore.click("weights", CELL, (n, n))
    explore.inspector.get_by_role("button", name="Let go of the cell").click()
    expect(output).to_be_hidden()
    expect(explore.inspector).to_contain_text("How to read this page")


def test_the_pinned_cell_follows_a_new_answer(explore: Explore, reply: dict[str, Any]) -> None:
    n = reply["shape"]["n"]
    explore.click("weights", CELL, (n, n))
    body = explore.ask(lambda: explore.field("seed").fill("3"))
    cells = stage_cells(explore.answer(body), "weights", 0, 0, 0)
    expect(explore.inspector.locator("output")).to_have_text(written(cells[CELL]))


def test_more_decimals_show_more_of_the_number(explore: Explore, reply: dict[str, Any]) -> None:
    n = reply["shape"]["n"]
    explore.click("scores", CELL, (n, n))
    explore.more()
    explore.field("decimals shown").select_option("8")
    value = stage_cells(reply, "scores", 0, 0, 0)[CELL]
    expect(explore.inspector.locator("output")).to_have_text(written(value, 8))


def test_the_answer_tells_how_far_it_is_from_plain_loops(
    explore: Explore, reply: dict[str, Any]
) -> None:
    expect(explore.inspector).to_contain_text("largest difference from plain loops")
    power = f"{reply['checks']['max_reference_error']:e}".split("e-")[1].lstrip("0")
    expect(explore.inspector).to_contain_text(
        "×10⁻" + power.translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    )


def test_seeded_weights_are_said_to_be_random(explore: Explore) -> None:
    expect(explore.inspector).to_contain_text("drawn at random")
    body = explore.ask(explore.inspector.get_by_role("button", name="Show crafted heads").click)
    assert body["model"]["source"] == "crafted"
    expect(explore.inspector).not_to_contain_text("drawn at random")
