"""Positions and blocks on the page: the choices, the formulas, and the operands between stages."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.hands import Explore

TEXT = "/?text=one two three&positions=rotary&block={block}&mlp=true"


def choose(explore: Explore, name: str, value: str) -> dict[str, object]:
    """What the page asks after a choice in the menu of what is seldom changed."""
    body = explore.ask(lambda: explore.field(f"{name}(?! size)").select_option(value))
    model = body["model"]
    assert isinstance(model, dict)
    return model


def test_every_kind_of_position_and_block_can_be_chosen(explore: Explore) -> None:
    explore.more()
    assert choose(explore, "positions", "rotary")["positions"] == "rotary"
    assert choose(explore, "block", "sublayer norm: x + LN(output)")["block"] == "sublayer_norm"
    body = explore.ask(lambda: explore.field("MLP").check())
    assert body["model"]["mlp"] is True
    expect(explore.page).to_have_url(re.compile("positions=rotary.*block=sublayer_norm.*mlp="))
    explore.shows(explore.question(), ("weights", "block_output"))
    assert explore.watch.troubles() == []


@pytest.mark.parametrize("block", ["pre_norm", "post_norm", "sublayer_norm"])
def test_operands_between_the_stages_open_and_lead_on(explore: Explore, block: str) -> None:
    explore.open(TEXT.format(block=block))
    assert explore.question()["model"]["mlp"] is True
    inspector = explore.inspector
    explore.click("q", (1, 3), (3, 16))
    expect(inspector).to_contain_text("q before rotation")
    expect(inspector).to_contain_text("sine of the angle")
    inspector.get_by_role("button", name=re.compile("^q before rotation.*:")).first.click()
    read = "LN(x)" if block == "pre_norm" else "x"
    expect(
        inspector.get_by_role("button", name=re.compile(rf"^{re.escape(read)} .*:")).first
    ).to_be_visible()
    assert explore.watch.troubles() == []
    assert explore.watch.refusals == []


def test_the_block_output_of_one_layer_is_seen_where_an_mlp_makes_another_of_it(
    explore: Explore,
) -> None:
    shown = explore.card("block_output")
    expect(shown).to_be_hidden()
    explore.open("/?block=attention&mlp=true")
    expect(shown).to_be_visible()
    explore.shows(explore.question(), ("output", "block_output"))
    explore.more()
    explore.ask(lambda: explore.field("MLP").uncheck())
    expect(shown).to_be_hidden()
