"""What a screen reader reads: the tree that Chromium hands to assistive technology."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.hands import Explore, until, written
from tests.browser.pixels import stage_cells

Node = dict[str, Any]
MAPS = {"scores", "scaled scores", "masked scores", "weights"}
FEATURES = {"x", "q", "k", "v", "head outputs", "concat", "output"}
FAMILY = "👨‍👩‍👧"
HEBREW = "שלום"
# Goes to another state of the open page, as back and forward do.
WALK = """(address) => {
  history.pushState(null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
}"""


def tree(page: Page) -> list[Node]:
    """Every node that is not ignored, as {role, name, value, properties, node}."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    return [
        {
            "role": node["role"]["value"],
            "name": node.get("name", {}).get("value", ""),
            "node": node["backendDOMNodeId"],
            **{each["name"]: each["value"] for each in node.get("properties", [])},
        }
        for node in nodes
        if not node["ignored"] and "backendDOMNodeId" in node
    ]


def grids_named(page: Page, names: set[str]) -> list[str]:
    """The names of all grids, once these are among them."""
    found = [node["name"] for node in tree(page) if node["role"] == "grid"]
    return found if names <= {name.split(":")[0] for name in found} else []


def active(page: Page) -> Node:
    """The cell that the focused grid says it stands on."""
    nodes = tree(page)
    (grid,) = [node for node in nodes if node["role"] == "grid" and node.get("focused")]
    (descendant,) = grid["activedescendant"]["relatedNodes"]
    (cell,) = [node for node in nodes if node["node"] == descendant["backendDOMNodeId"]]
    return cell


def reach(target: Locator, key: str) -> None:
    """Presses a key until the focus is on an element."""
    for _ in range(20):
        target.page.keyboard.press(key)
        if target.evaluate("(element) => element === document.activeElement"):
            return
    pytest.fail(f"{key} never came to {target}")


def test_every_heatmap_is_a_grid_with_a_name_and_a_size(
    explore: Explore, subtests: pytest.Subtests
) -> None:
    stage = r"[\w ]+: \d+ rows by \d+ columns, layer \d+, head \d+"
    sized = re.compile(rf"{stage}|weights, layer 0, head 0: \d+ rows by \d+ columns|Layer and head")
    for state, grids in (
        ("", MAPS | FEATURES),
        ("&stage=weights", {"weights"}),
        ("&tab=heads", {"Layer and head"}),
        ("&text=a%0Ab%20c&num_layers=2", {"weights", "block output"}),
    ):
        with subtests.test(state):
            explore.page.evaluate(WALK, f"/?source=seeded{state}")
            if "stage=" in state:  # the page before has a grid of this name too
                large = explore.page.get_by_role("dialog").get_by_role("grid")
                expect(large).to_have_accessible_name(sized)
            names = until(explore.page, lambda: grids_named(explore.page, grids), f"{grids}")  # noqa: B023
            assert [name for name in names if not sized.fullmatch(name)] == []


def test_the_three_grids_of_a_compared_stage_are_told_apart(window: Explore) -> None:
    page = window.page
    page.goto(f"{window.url}/compare?a.text=a%20cat&b.text=a%20dog")
    weights = page.locator('[data-stage="weights"]')
    weights.locator('[data-of="difference"] canvas[data-layer]').wait_for()
    for name in ("A", "B", "Δ = B − A"):
        group = weights.get_by_role("group", name=name, exact=True)
        expect(group.get_by_role("grid")).to_have_accessible_name(re.compile("^weights: 2 rows"))
    weights.locator('[data-of="difference"]').get_by_role("grid").focus()
    page.keyboard.press("ArrowDown")
    named = re.compile(r"cat/dog → a: [+−]\d\.\d{3}")
    until(page, lambda: named.fullmatch(active(page)["name"]), "the cell reads its difference")
    message = page.locator("#trio [aria-live=polite]")
    expect(message).to_have_text(re.compile(r"weights, cat/dog → a: A \S+, B \S+, Δ = B − A \S+$"))


def test_the_active_cell_reads_its_tokens_and_its_number(explore: Explore) -> None:
    weights = stage_cells(explore.answer(explore.question()), "weights", 0, 0, 0)
    explore.grid("weights").focus()
    page, spoken = explore.page, explore.page.locator("#spoken")
    for key, at, said in (
        ("ArrowDown", (1, 0), "animal → The"),
        ("ArrowRight", (1, 1), "animal → animal"),
        ("PageDown", (11, 1), ". → animal"),
    ):
        page.keyboard.press(key)
        cell = f"{said}: {written(weights[at])}"
        expect(spoken).to_have_text(f"weights, {cell}")
        until(page, lambda: active(page)["name"] == cell, said)  # noqa: B023
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    expect(spoken).to_have_text("weights, tired → .: masked")
    until(page, lambda: active(page)["name"] == "tired → .: 0 (masked)", "a masked weight")
    assert {node["node"] for node in tree(page) if node.get("live", {}).get("value") == "polite"}


def test_words_are_read_as_they_are_and_a_table_with_headers_is_reached_by_keys(
    explore: Explore,
) -> None:
    page, text = explore.page, f"{HEBREW} {FAMILY} ok {HEBREW}"
    explore.sentence.fill(text)
    rows = explore.card("weights").locator(".labels .row")
    expect(rows).to_have_text([f"{HEBREW}₀", FAMILY, "ok", f"{HEBREW}₃"])
    columns = explore.card("weights").locator(".labels .col")
    expect(columns.nth(1)).not_to_have_class(re.compile("upright"))
    explore.grid("weights").focus()
    page.keyboard.press("PageDown")
    page.keyboard.press("ArrowRight")
    isolated = f"\u2068{HEBREW}₃\u2069"
    until(page, lambda: active(page)["name"].startswith(f"{isolated} → {FAMILY}: "), "both words")
    arrow = page.locator(".readout:visible span").evaluate(PLACES, ["→", HEBREW, FAMILY])
    assert arrow[1] < arrow[0] < arrow[2], "the arrow leads from the query to the key"
    chip = explore.tokens.get_by_role("option").first
    word, index = chip.evaluate(PLACES, [HEBREW, "0"])
    assert index < word, "the index follows the word, on its left"
    expect(explore.sentence).to_have_attribute("dir", "auto")
    reach(page.get_by_role("button", name="Enlarge weights", exact=True), "Shift+Tab")
    page.keyboard.press("Enter")
    inside = explore.large
    expect(inside.get_by_role("grid")).to_be_focused()
    reach(inside.get_by_role("checkbox", name="show as table"), "Shift+Tab")
    page.keyboard.press("Space")
    expect(inside.get_by_role("columnheader")).to_have_text(rows.all_text_contents())
    expect(inside.get_by_role("rowheader")).to_have_text(rows.all_text_contents())
    weights = stage_cells(explore.answer(explore.question()), "weights", 0, 0, 0)
    row = inside.get_by_role("row").nth(4).get_by_role("cell")
    expect(row).to_have_text([written(value) for value in weights[3]])


# Where pieces of a text begin on the screen, from left to right.
PLACES = """(element, pieces) => pieces.map((piece) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.data.indexOf(piece);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + piece.length);
    return range.getBoundingClientRect().left;
  }
  return null;
})"""
