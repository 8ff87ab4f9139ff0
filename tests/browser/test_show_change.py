"""Show change beyond the cards: a large stage, the inspector, the heads; and where not."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, address_lacks, middle, until, written
from tests.browser.pixels import alike, centres, painted, stage_cells
from tests.browser.test_change import asked, button, numbers
from tests.browser.test_change_more import scale

SMALL = "/?text=the%20cat%20sat%20there&d_model=18&num_heads=3&num_layers=2&scale=none"
CELL = (3, 1)


def changed(explore: Explore, more: str = "") -> tuple[dict[str, Any], dict[str, Any]]:
    """Changes the scale and shows what that changed: the question before and now."""
    explore.page.goto(f"{explore.url}{SMALL}{more}", wait_until="commit")
    expect(explore.page.get_by_role("button", name="Change", exact=True)).to_be_enabled()
    before = explore.question()
    now = asked(explore, lambda: scale(explore).select_option(label="1/√d_k"))
    expect(explore.page.locator("body[data-status=ready]")).to_be_visible()
    button(explore, "Show change").click()
    return before, now


def delta(
    explore: Explore, before: dict[str, Any], now: dict[str, Any], head: int = 0, layer: int = 0
) -> np.ndarray:
    """The weights of a head as now − before; NaN where they are masked."""
    was, cells = (
        stage_cells(explore.answer(body), "weights", layer, head, 0).astype(float)
        for body in (before, now)
    )
    return cells - was


def told(explore: Explore, before: dict[str, Any], now: dict[str, Any]) -> tuple[str, str, str]:
    """The weight of CELL before, now, and its change, as they are written."""
    was, value = (numbers(explore, body, "weights")[0, 0][CELL] for body in (before, now))
    by = value - was
    return written(was), written(value), ("+" if by > 0 else "") + written(by)


def drawn_in(explore: Explore, canvas: Locator, cells: np.ndarray, size: float) -> None:
    wanted = painted(cells, explore.colours("diverging"), -size, size)
    rows, cols = cells.shape
    until(explore.page, lambda: alike(centres(canvas, rows, cols), wanted), "the change is drawn")


def test_a_large_stage_is_drawn_and_told_as_now_minus_before(explore: Explore) -> None:
    before, now = changed(explore, "&stage=weights")
    large = explore.page.locator("#large")
    canvas = large.locator(".change canvas[data-head]")
    cells = delta(explore, before, now)
    size = float(np.nanmax(np.abs(cells)))
    drawn_in(explore, canvas, cells, size)
    expect(large).to_contain_text("Δ is now minus before the last step")
    expect(large.locator(".legend .high:visible")).to_have_text(f"{size:.2f}")
    expect(large.get_by_role("grid", name="Change of weights")).to_be_visible()
    expect(large.locator(":scope > .heatmap")).to_be_hidden()

    explore.page.mouse.move(*middle(canvas, CELL, (4, 4)))
    was, value, by = told(explore, before, now)
    expect(large.locator(".change .readout")).to_contain_text(f"{was} → {value} ({by})")

    large.get_by_label("show as table").check()
    line = large.locator(".change tbody tr").nth(CELL[0]).locator("td").nth(CELL[1])
    expect(line).to_have_text(f"{by}{was} → {value}")
    masked = large.locator(".change tbody tr").first.locator("td").last
    expect(masked).to_have_text("–0 (masked)")
    explore.page.keyboard.press("Escape")
    expect(large).to_be_hidden()
    expect(explore.page.locator(".since")).to_contain_text("now minus before the last step")


def test_a_large_stage_follows_the_change_and_its_end(explore: Explore) -> None:
    changed(explore)
    large = explore.page.locator("#large")
    button(explore, "Enlarge x").click()
    expect(large.locator(".change .same")).to_have_text("unchanged")
    explore.page.keyboard.press("Escape")
    button(explore, "Enlarge scaled scores").click()
    expect(large.locator(".change .legend .low")).to_contain_text("−")
    button(explore, "Show change").click()
    expect(large.locator(".change")).to_have_count(0)
    expect(large.locator(":scope > .heatmap")).to_be_visible()
    explore.shows(explore.question(), ["scaled_scores"])


def test_the_inspector_tells_the_pinned_cell_before_and_now(explore: Explore) -> None:
    before, now = changed(explore, "&cell=weights.3.1")
    line = explore.inspector.locator(".was")
    was, value, by = told(explore, before, now)
    expect(line).to_have_text(f"before{was}now{value}Δ{by}")
    explore.page.get_by_role("tab", name="Gradients").click()
    expect(line).to_have_text(f"before{was}now{value}Δ{by}")  # it is the same cell on every tab
    button(explore, "Show change").click()
    expect(line).to_have_count(0)


def test_heads_are_drawn_as_now_minus_before_in_one_scale(explore: Explore) -> None:
    before, now = changed(explore, "&tab=heads")
    page = explore.page
    places = [(layer, head) for layer in range(2) for head in range(3)]
    cells = {place: delta(explore, before, now, place[1], place[0]) for place in places}
    size = max(float(np.nanmax(np.abs(each))) for each in cells.values())
    board = page.locator(".board.change")
    for layer, head in places:
        tile = board.locator(f'[data-layer="{layer}"][data-head="{head}"] canvas')
        drawn_in(explore, tile, cells[layer, head], size)
    side = page.locator(".together.change")
    drawn_in(explore, side.locator("canvas[data-head]"), cells[0, 0], size)
    expect(side.locator(".legend .low")).to_have_text(f"−{size:.2f}")
    expect(page.locator("#panel-heads")).to_contain_text("in one scale for all")
    expect(page.locator(".board:not(.change)")).to_be_hidden()

    was, value, by = told(explore, before, now)
    page.mouse.move(*middle(side.locator("canvas"), CELL, (4, 4)))
    expect(side.locator(".readout")).to_contain_text(f"{was} → {value} ({by})")

    button(explore, "Choose all shown").click()
    mean = np.mean(list(cells.values()), axis=0)
    drawn_in(explore, side.locator("canvas[data-head]"), mean, size)
    page.reload()
    drawn_in(explore, side.locator("canvas[data-head]"), mean, size)
    page.keyboard.press("Escape")
    expect(board).to_have_count(0)
    expect(page.locator(".board")).to_be_visible()


def test_the_legend_of_a_change_covers_what_is_seen(explore: Explore) -> None:
    expect(explore.page.get_by_role("button", name="Change", exact=True)).to_be_enabled()
    asked(explore, lambda: explore.field("Mask").select_option(label="none"))
    button(explore, "Show change").click()
    legend = explore.card("masked_scores").locator(".change .legend")
    expect(legend.locator(".masked")).to_be_visible()
    for part in ("low", "ramp", "high"):  # cells were opened, and no number changed
        expect(legend.locator(f".{part}:visible")).to_have_count(0)
    expect(explore.card("weights").locator(".change .legend .high")).to_be_visible()


def test_a_rollout_stays_that_of_now(explore: Explore) -> None:
    changed(explore, "&tab=heads&rollout=true&layer=1")
    panel = explore.page.locator("#panel-heads")
    expect(panel).to_contain_text("So is the rollout")
    expect(panel.locator(".together:not(.change)")).to_be_visible()
    expect(panel.locator(".together.change")).to_be_hidden()


def test_heads_that_come_by_themselves_are_compared_as_well(explore: Explore) -> None:
    words = "%20".join(f"w{at}" for at in range(150))
    explore.open(f"/?text={words}&num_heads=20&d_model=80&causal=false")
    expect(explore.page.get_by_role("button", name="Change", exact=True)).to_be_enabled()
    ready = explore.page.locator("body[data-status=ready]")
    expect(ready).to_be_visible()
    with explore.page.expect_request("**/api/v1/traces"):  # its stages come as pictures
        scale(explore).select_option(label="none")
    expect(ready).to_be_visible()
    button(explore, "Show change").click()
    explore.page.get_by_role("tab", name="Heads").click()
    tile = explore.page.locator('.board.change [data-head="13"] canvas')
    expect(tile).to_be_visible()
    sent = [r.post_data_json for r in explore.watch.requests if r.url.endswith("/api/v1/attention")]
    every = {body["scale"]: body for body in sent if body.get("dtype") == "float32"}
    before, now = every["sqrt_d_k"], every["none"]
    cells = numbers(explore, now, "weights") - numbers(explore, before, "weights")
    size = float(np.max(np.abs(cells)))
    high = explore.page.locator(".together.change .legend .high")
    expect(high).to_have_text(f"{size:.2f}".rstrip("0"))


@pytest.mark.parametrize(
    "tab", ["Lines", "Gradients", "Parameters", "Worth", "Decode", "Laboratory"]
)
def test_tabs_that_show_no_change_say_so(explore: Explore, tab: str) -> None:
    page, show = explore.page, button(explore, "Show change")
    asked(explore, lambda: scale(explore).select_option(label="none"))
    expect(show).to_have_attribute("aria-disabled", "false")
    page.get_by_role("tab", name=tab).click()
    expect(show).to_have_attribute("aria-disabled", "true")
    expect(show).to_have_attribute("title", re.compile("among Stages and Heads"))
    show.click(force=True)
    address_lacks(page, "since")
    page.get_by_role("tab", name="Heads").click()
    show.click()
    page.get_by_role("tab", name=tab).click()
    line = page.locator(".since")
    expect(line).to_contain_text(f"{tab} draws the numbers of now")
    line.get_by_role("button", name="See the stages").click()
    expect(explore.card("weights").locator(".change")).to_be_visible()


def test_a_page_that_shows_no_change_fetches_nothing_for_it(explore: Explore) -> None:
    explore.page.goto(f"{explore.url}/?tab=heads&stage=weights&cell=weights.3.1")
    expect(explore.page.locator("#large canvas[data-head]")).to_be_visible()
    expect(explore.page.get_by_role("button", name="Change", exact=True)).to_be_enabled()
    explore.page.wait_for_load_state("networkidle")
    names = {request.url.rsplit("/", 1)[-1] for request in explore.watch.requests}
    assert {"around.js", "heads-tab.js", "large-stage.js"} <= names
    late = r"(changed-\w+|show-change|heads-before)\.js"
    assert not [name for name in names if re.fullmatch(late, name)]


def test_a_mark_that_is_not_known_any_more_is_told_in_the_readers_words(explore: Explore) -> None:
    explore.page.goto(f"{explore.url}/?since={'0' * 32}", wait_until="commit")
    line = explore.page.locator(".since")
    expect(line).to_contain_text("is not known here any more")
    expect(line).not_to_contain_text("POST")
    button(explore, "Compare from now on").click()
    expect(explore.card("weights").locator(".change")).to_be_visible()
