"""Heads with names: the metric that stands out on this text, and on random tokens that repeat."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, address_lacks
from tests.browser.test_installed import ECHO

NAMES = {
    "induction": "induction", "duplicate_token": "duplicate", "previous": "previous",
    "first": "first", "own": "own",
}  # fmt: skip
# Of metrics over repeated tokens alone, those that the same weights may count for.
RIVALS = {
    "induction": ("previous", "duplicate_token"),
    "duplicate_token": ("previous", "first", "induction"),
}


def asked(explore: Explore, part: str) -> dict[str, Any]:
    trace = explore.answer(explore.question())["trace"]
    found: dict[str, Any] = explore.page.request.get(
        f"{explore.url}/api/v1/traces/{trace}/{part}"
    ).json()
    return found


def name_of(metrics: dict[str, float | None]) -> str:
    for name, called in NAMES.items():
        own = metrics[name] or 0
        rivals = [metrics[other] or 0 for other in RIVALS.get(name, NAMES) if other != name]
        if own >= 0.5 and all(own >= 1.5 * rival for rival in rivals):
            return f"{called} {own:.2f}"
    return ""


def test_every_tile_has_the_name_that_its_metrics_give_it(window: Explore) -> None:
    window.page.goto(f"{window.url}{ECHO}&tab=heads")
    tiles = window.page.locator(".tile")
    expect(tiles.locator(".named").filter(has_text=re.compile(r"\d")).first).to_be_visible()
    for metrics in asked(window, "heads")["heads"]:
        place = f'[data-layer="{metrics["layer"]}"][data-head="{metrics["head"]}"]'
        own = window.page.locator(f".tile{place}")
        name = name_of(metrics)
        expect(own.locator(".named")).to_have_text(name)
        if name:
            expect(own).to_have_attribute("title", re.compile("at least 0.5"))
            expect(own.get_by_role("img")).to_have_accessible_name(re.compile(re.escape(name)))


def test_heads_are_sorted_by_induction(window: Explore) -> None:
    window.page.goto(f"{window.url}{ECHO}&tab=heads&metric=induction&sorted=true")
    tiles = window.page.locator(".tile")
    figures = tiles.locator(".caption span")
    expect(figures.first).not_to_be_empty()
    told = sorted((m["induction"] for m in asked(window, "heads")["heads"]), reverse=True)
    expect(figures).to_have_text([f"{value:.2f}" for value in told])


def test_find_heads_runs_the_probe_and_leads_to_a_head(window: Explore) -> None:
    window.page.goto(f"{window.url}{ECHO}&tab=heads")
    find = window.page.get_by_role("button", name="Find heads")
    find.click()
    address_has(window.page, "probe=true")
    found = window.page.get_by_role("region", name="Heads on random tokens")
    probe = asked(window, "probe")
    expect(found).to_contain_text(re.compile(r"Copied \d+.%"))
    named = {
        (layer, head): name_of(metrics)
        for layer, row in enumerate(probe["heads"])
        for head, metrics in enumerate(row)
        if name_of(metrics)
    }
    expect(found.get_by_role("row")).to_have_count(1 + len(named))
    (layer, head), name = list(named.items())[-1]
    row = found.get_by_role("row").filter(has_text=f"L{layer} H{head}")
    expect(row).to_contain_text(name)
    row.get_by_role("button").click()
    expect(window.page.locator(".tile[aria-current]")).to_have_attribute("data-head", str(head))
    find.click()
    address_lacks(window.page, "probe=")
    expect(found.get_by_role("table")).to_have_count(0)


def test_a_model_of_random_weights_is_probed_too(window: Explore) -> None:
    window.page.goto(f"{window.url}/?tab=heads&probe=true")
    found = window.page.get_by_role("region", name="Heads on random tokens")
    expect(found).to_contain_text("32 random tokens, 2 times over")
    expect(found).to_contain_text("Without a name: 4 of 4 heads")
    expect(found).not_to_contain_text("Copied")
