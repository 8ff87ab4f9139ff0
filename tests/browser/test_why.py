"""Why a head looks there: the score of a pinned weight, taken apart."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, address_has
from tests.browser.test_installed import ECHO


def question_of(explore: Explore) -> Locator:
    return explore.inspector.get_by_text("Why does it look there?")


def parts(explore: Explore, **place: int) -> dict[str, Any]:
    trace = explore.answer(explore.question())["trace"]
    address = f"{explore.url}/api/v1/traces/{trace}/cells/scores/parts"
    found: dict[str, Any] = explore.page.request.get(address, params={**place}).json()
    return found


def test_a_pinned_weight_is_taken_apart_by_who_wrote_what_it_reads(window: Explore) -> None:
    window.open(f"{ECHO}&layer=1&cell=weights.6.2")
    question_of(window).click()
    address_has(window.page, "why=true")
    told = parts(window, layer=1, head=0, row=6, col=2)
    table = window.inspector.get_by_role("table", name="Parts of the score")
    rows = table.locator("tbody tr")
    expect(rows).to_have_count(len(told["query_parts"]))
    first = rows.first.locator("td").all_inner_texts()
    assert [float(text.replace("−", "-")) for text in first] == pytest.approx(
        told["values"][0], abs=0.051
    )
    expect(rows.nth(1).locator("th")).to_have_text("L0 H0")
    expect(rows.nth(1).locator("th")).to_have_attribute("title", "what layer 0, head 0 wrote there")
    said = window.inspector.locator(".why")
    expect(said).to_contain_text(f"q · k = {told['score']:.3f}".replace("-", "−"))
    expect(said).to_contain_text("The strongest part")
    window.click("weights", (5, 1), (14, 14))
    other = parts(window, layer=1, head=0, row=5, col=1)
    expect(said).to_contain_text(f"q · k = {other['score']:.3f}".replace("-", "−"))


def test_what_is_no_score_or_is_masked_is_not_asked_about(window: Explore) -> None:
    window.open(f"{ECHO}&cell=q.2.2")
    expect(window.inspector.locator("output")).to_be_visible()
    expect(question_of(window)).to_have_count(0)
    window.open(f"{ECHO}&cell=weights.1.4")
    expect(window.inspector.locator(".because")).to_be_visible()
    expect(question_of(window)).to_have_count(0)


def test_what_blocks_do_not_add_up_is_told_and_nothing_is_lost(window: Explore) -> None:
    window.open("/?text=a%20b%20c&num_layers=2&layer=1&cell=scores.2.1&why=true")
    expect(window.inspector.locator(".why p.muted")).to_be_visible()
    expect(window.inspector.locator(".why table")).to_have_count(0)
