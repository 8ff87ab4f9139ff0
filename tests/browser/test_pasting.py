"""A whole question is pasted as JSON; what cannot be read is told, and nothing is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import SEEDED, Explore, address_has, written
from tests.browser.pixels import stage_cells

MATRICES: dict[str, Any] = {
    "x": [[1, 0], [0, 1], [1, 1]],
    "w_q": [[1, 0], [0, 2]],
    "w_k": [[0, 1], [1, 0]],
    "w_v": [[1, 2], [3, 4]],
}
WHOLE = {
    "text": "one two three",
    "model": {"source": "seeded", "seed": 4, "d_model": 8, "num_heads": 2},
    "causal": False,
    "temperature": 2,
}


@pytest.fixture
def box(explore: Explore) -> Locator:
    """The box for everything at once, in the dialog of explicit matrices."""
    explore.ask(lambda: explore.field("Model").select_option("explicit"))
    explore.page.get_by_role("button", name="Edit…").click()
    return explore.page.get_by_role("textbox", name="All at once, as JSON")


def alert(explore: Explore, box: Locator) -> Locator:
    return explore.page.locator("label", has=box).get_by_role("alert")


def test_matrices_by_their_names_are_taken_and_drawn(explore: Explore, box: Locator) -> None:
    body = explore.ask(lambda: box.fill(json.dumps(MATRICES)))
    assert {name: body["model"][name] for name in ("w_q", "w_k", "w_v")} == {
        name: MATRICES[name] for name in ("w_q", "w_k", "w_v")
    }
    assert body["x"] == MATRICES["x"]
    expect(alert(explore, box)).to_be_empty()
    expect(explore.page.get_by_role("textbox", name="w_v")).to_have_value(
        re.compile(r"^1\s+2\s*\n3\s+4\s*$")
    )
    explore.page.get_by_role("button", name="Done").click()
    explore.shows(body, ["x", "q", "scores", "weights"])


@pytest.mark.parametrize("wrapped", [False, True], ids=["a request body", "an example"])
def test_a_whole_question_takes_the_place_of_all(
    explore: Explore, box: Locator, wrapped: bool
) -> None:
    text = json.dumps({"id": "mine", "question": WHOLE} if wrapped else WHOLE)
    body = explore.ask(lambda: box.fill(text))
    assert {name: body[name] for name in ("text", "causal", "temperature")} == {
        name: WHOLE[name] for name in ("text", "causal", "temperature")
    }
    assert body["model"]["seed"] == 4
    explore.shows(body)
    expect(explore.sentence).to_have_value("one two three")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"x": [[1, 2]', "This is not JSON."),
        ("[1, 2]", "not an object with matrices by their names"),
        ('{"w_q": [[1]], "wq": [[1]]}', "There is no field wq in a question"),
        ('{"w_q": 5}', "w_q is no list of lists"),
    ],
)
def test_what_cannot_be_read_is_told_and_changes_nothing(
    explore: Explore, box: Locator, text: str, said: str
) -> None:
    before, asked = explore.page.url, explore.question()
    box.fill(text)
    expect(alert(explore, box)).to_contain_text(said)
    expect(explore.page).to_have_url(before)
    assert explore.question() == asked
    box.fill("")
    expect(alert(explore, box)).to_be_empty()


def test_a_refusal_of_the_server_is_told_beside_what_was_pasted(
    explore: Explore, box: Locator
) -> None:
    explore.ask(lambda: box.fill(json.dumps({**MATRICES, "w_k": [[1], [1]]})))
    refused = explore.page.get_by_role("dialog").get_by_role("alert")
    expect(refused.filter(has_text="w_k").first).to_be_visible()
    assert explore.watch.refusals


@pytest.mark.parametrize(
    ("address", "cell"),
    [(SEEDED, (10, 1)), ("/?text=a%20b%20c&source=crafted&name=previous_token", (2, 1))],
    ids=["tired and animal", "the strongest of the last query"],
)
def test_the_first_line_to_press_pins_a_weight_worth_a_look(
    elsewhere: Callable[..., Explore], address: str, cell: tuple[int, int]
) -> None:
    window = elsewhere(address)  # where no line was pressed before
    weights = stage_cells(window.answer(window.question()), "weights", 0, 0, 0)
    line = window.page.get_by_role("button", name="This head looks at")
    expect(line).to_contain_text(f"{weights[cell]:.2f}")
    line.click()
    expect(window.inspector.locator("output")).to_have_text(written(weights[cell]))
    address_has(window.page, f"cell=weights.{cell[0]}.{cell[1]}")
    expect(window.card("weights").locator(".pinned")).to_be_visible()
    expect(line).to_have_count(0)
    window.open(address)
    expect(window.page.get_by_role("button", name="Drop the head")).to_be_visible()
    expect(line).to_have_count(0)


def test_the_model_expects_so_only_what_the_head_looks_at(
    elsewhere: Callable[..., Explore],
) -> None:
    window = elsewhere("/")
    line = window.page.locator("#first li").nth(1)
    expect(line).to_contain_text("so the model expects")
    window.page.locator("#looks .head-chip", has_text="L0 H1").click()
    expect(line).to_contain_text("The model expects")
    window.page.locator("#looks .head-chip", has_text="L1 H1").click()
    expect(line).to_contain_text("so the model expects")
    window.page.locator("#first li").nth(2).get_by_role("button").click()
    expect(line).to_contain_text("The model expects")


def test_the_other_lines_read_on_and_drop_the_head(elsewhere: Callable[..., Explore]) -> None:
    window = elsewhere("/")
    lines = window.page.locator("#first")
    lines.get_by_role("button", name="so the model expects").click()
    address_has(window.page, "tab=worth")
    body = window.ask(lines.get_by_role("button", name="Drop the head").click)
    assert len(body["drop"]) == 1
    address_has(window.page, "drop=")
    lines.get_by_role("button", name="Close these lines").click()
    expect(lines).to_be_hidden()
