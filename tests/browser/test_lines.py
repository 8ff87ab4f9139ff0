"""Lines between queries and keys: what is drawn, pointed at and pinned."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.hands import ATTENTION, LONG, Explore, address_has, address_lacks, box, until
from tests.browser.pixels import stage_cells

N = 12


def open_lines(explore: Explore, more: str = "") -> dict[str, Any]:
    explore.page.goto(f"{explore.url}/?tab=lines{more}", wait_until="commit")
    expect(side(explore, "Keys").get_by_role("option").first).to_be_visible()
    return explore.answer(explore.question())


def side(explore: Explore, name: str) -> Locator:
    return explore.page.get_by_role("listbox", name=re.compile(f"^{name}"))


def ink(canvas: Locator, top: float, bottom: float) -> float:
    """How much is painted between two heights, as parts of the canvas."""
    painted = """(canvas, [top, bottom]) => {
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
      copy.drawImage(canvas, 0, 0);
      const [from, to] = [top, bottom].map((part) => Math.floor(part * canvas.height));
      const { data } = copy.getImageData(0, from, canvas.width, Math.max(1, to - from));
      return data.reduce((sum, byte, at) => sum + (at % 4 === 3 ? byte : 0), 0);
    }"""
    return float(canvas.evaluate(painted, [top, bottom]))


def count_of(explore: Explore) -> int:
    text = explore.page.locator(".lines .muted").text_content() or ""
    return int(re.findall(r"\d+", text)[-1])


def test_every_weight_above_the_threshold_is_a_line(explore: Explore) -> None:
    reply = open_lines(explore)
    weights = stage_cells(reply, "weights", 0, 0, 0)
    assert count_of(explore) == int((np.nan_to_num(weights) >= 0.05).sum())
    threshold = explore.page.get_by_label("Weight at least")
    threshold.evaluate("(e) => { e.value = 0.3; e.dispatchEvent(new Event('input')); }")
    until(
        explore.page,
        lambda: count_of(explore) == int((np.nan_to_num(weights) >= 0.3).sum()),
        "fewer lines",
    )
    address_has(explore.page, "threshold=0.3")


def test_several_heads_are_lines_of_several_colours(explore: Explore) -> None:
    reply = open_lines(explore)
    heads = explore.page.get_by_role("group", name="Heads", exact=True)
    heads.get_by_role("button", name="layer 0, head 2").click()
    expect(heads.locator('[aria-pressed="true"]')).to_have_count(2)
    both = [np.nan_to_num(stage_cells(reply, "weights", 0, head, 0)) for head in (0, 2)]
    wanted = sum(int((weights >= 0.05).sum()) for weights in both)
    until(explore.page, lambda: count_of(explore) == wanted, "the lines of both heads")
    heads.get_by_role("button", name="layer 0, head 0").click()
    address_has(explore.page, "head=2")
    address_lacks(explore.page, "heads=")


def test_a_token_that_is_pointed_at_shows_its_lines_alone_and_their_weights(
    explore: Explore,
) -> None:
    reply = open_lines(explore)
    weights = stage_cells(reply, "weights", 0, 0, 0)
    side(explore, "Queries").get_by_role("option").nth(9).hover()
    keys = side(explore, "Keys").get_by_role("option")
    for key in range(N):
        shown = keys.nth(key).locator("b")
        weight = weights[9, key]
        expect(shown).to_have_text(f"{weight:.2f}" if weight >= 0.05 else "")
    some = explore.page.locator(".web .some")
    expect(some).to_be_visible()
    assert ink(some, 0.95, 1) == 0, "the last query's lines are not shown"
    explore.page.mouse.move(5, 5)
    expect(some).to_be_hidden()


def test_a_token_that_is_pressed_stays_and_one_more_is_added(explore: Explore) -> None:
    reply = open_lines(explore)
    weights = np.nan_to_num(stage_cells(reply, "weights", 0, 0, 0))
    keys = side(explore, "Keys").get_by_role("option")
    keys.nth(1).click()
    keys.nth(5).click(modifiers=["Shift"])
    explore.page.mouse.move(5, 5)
    expect(keys.nth(1)).to_have_attribute("aria-selected", "true")
    expect(explore.page.locator("#picked h2")).to_have_text("animal + street")
    sums = weights[:, 1] + weights[:, 5]
    queries = side(explore, "Queries").get_by_role("option")
    expect(queries.nth(10).locator("b")).to_have_text(f"{sums[10]:.2f}")
    address_has(explore.page, "picked=key.1_5")
    explore.page.reload(wait_until="commit")
    expect(queries.nth(10).locator("b")).to_have_text(f"{sums[10]:.2f}")


def test_tokens_are_walked_and_picked_with_keys_and_read_aloud(explore: Explore) -> None:
    open_lines(explore)
    page = explore.page
    page.get_by_role("tab", name="Lines").focus()
    queries = side(explore, "Queries")
    for _ in range(20):
        page.keyboard.press("Tab")
        if queries.evaluate("(e) => e === document.activeElement"):
            break
    for key in ("End", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".lines [aria-live]")).to_contain_text("tired: animal 0.56")
    address_has(page, "picked=query.10")
    page.keyboard.press("Escape")
    address_lacks(page, "picked")


@pytest.mark.parametrize("layout", ["vertical", "horizontal"])
def test_tokens_stand_below_or_beside_each_other(explore: Explore, layout: str) -> None:
    open_lines(explore)
    explore.page.get_by_label("Layout").select_option(layout)
    boxes = [box(side(explore, "Queries").get_by_role("option").nth(at)) for at in (0, 1)]
    same, other = ("x", "y") if layout == "vertical" else ("y", "x")
    assert abs(boxes[0][same] - boxes[1][same]) < 1
    assert boxes[1][other] > boxes[0][other] + 15
    assert ink(explore.page.locator(".web .all"), 0, 1) > 0
    (address_has if layout == "horizontal" else address_lacks)(explore.page, "layout=horizontal")


def test_queries_and_keys_may_differ_in_number(explore: Explore) -> None:
    """The page takes the numbers as they come: five queries, eight keys."""
    import orjson
    from safetensors.numpy import load, save

    def narrow(route: Route) -> None:
        response = route.fetch()
        body = response.body()
        size = int.from_bytes(body[:8], "little")
        metadata = orjson.loads(body[8 : 8 + size])["__metadata__"]
        reply = orjson.loads(metadata["attnscope"])
        reply["shape"] |= {"n": 5, "m": 8}
        reply["lengths"] = [8]
        arrays = {
            name: np.ascontiguousarray(
                array[:, :, 4:9, :8] if array.shape[-2:] == (N, N) else array
            )
            for name, array in load(body).items()
        }
        route.fulfill(
            response=response,
            body=save(arrays, {**metadata, "attnscope": orjson.dumps(reply).decode()}),
        )

    explore.page.route(ATTENTION, narrow)
    reply = open_lines(explore, "&seed=5")
    weights = np.nan_to_num(stage_cells(reply, "weights", 0, 0, 0))[4:9, :8]
    expect(side(explore, "Queries").get_by_role("option")).to_have_count(5)
    expect(side(explore, "Keys").get_by_role("option")).to_have_count(8)
    assert count_of(explore) == int((weights >= 0.05).sum())


# Left, right, top and bottom of the names.
NAMES = """(list) => [...list.querySelectorAll("span")]
  .map((name) => name.getBoundingClientRect())
  .map((box) => [box.left, box.right, box.top, box.bottom])"""


def long_lines(explore: Explore, more: str = "", lead: str = "Queries") -> None:
    large = quote(json.dumps({"text": " ".join(f"word{index}" for index in range(1500))}))
    small = "source=seeded&num_heads=1&d_model=16"
    explore.page.goto(f"{explore.url}/?tab=lines&{small}{more}#{large}", wait_until="commit")
    expect(side(explore, lead).get_by_role("option")).to_have_count(24, timeout=LONG)


def shown(explore: Explore, name: str) -> list[int]:
    """The places of the tokens that stand on a side, once they stay what they are."""
    read = "(items) => items.map((item) => Number(item.dataset.at))"
    return side(explore, name).get_by_role("option").evaluate_all(read)


def told(explore: Explore) -> Locator:
    return explore.page.locator(".line-window span")


@pytest.mark.parametrize("layout", ["vertical", "horizontal"])
def test_of_a_long_text_a_part_is_drawn_whose_names_can_all_be_read(
    explore: Explore, layout: str
) -> None:
    long_lines(explore, f"&layout={layout}")
    expect(told(explore)).to_contain_text("Queries 0 to 23 of 1,500")
    start, end = (2, 3) if layout == "vertical" else (0, 1)
    for name in ("Queries", "Keys"):
        names = side(explore, name).evaluate(NAMES)
        assert all(a[end] <= b[start] + 4 for a, b in pairwise(names)), "paddings may touch"
    if layout == "vertical":
        assert box(explore.page.locator("#panel-lines"))["height"] < 900


def test_the_part_goes_to_the_token_that_is_chosen_and_shows_its_strongest_keys(
    explore: Explore,
) -> None:
    long_lines(explore, "&picked=query.900")
    expect(told(explore)).to_contain_text("Queries 888 to 911 of 1,500")
    named = [r for r in explore.watch.requests if r.url.endswith("/api/v1/traces")][-1]
    question = json.loads(named.post_data or "")
    trace = explore.page.request.post(named.url, data=question).json()["trace"]
    rows = f"{named.url}/{trace}/stages/weights?rows=888:912"
    weights = np.nan_to_num(np.array(explore.page.request.get(rows).json()["values"], float))
    keys = shown(explore, "Keys")
    assert keys == sorted(keys)
    assert set(weights.argmax(axis=1)) <= set(keys)
    chosen = side(explore, "Queries").locator("[aria-selected=true]")
    expect(chosen).to_have_text(re.compile("^word900"))
    best = int(weights[900 - 888].argmax())
    written = side(explore, "Keys").locator(f'[data-at="{best}"] b')
    expect(written).to_have_text(f"{weights[900 - 888, best]:.3f}")
    assert ink(explore.page.locator(".web .some"), 0, 1) > 0


def test_the_part_is_led_on_with_buttons_and_keys(explore: Explore) -> None:
    page = explore.page
    long_lines(explore)
    expect(page.get_by_role("button", name="The 24 tokens before")).to_be_disabled()
    page.get_by_role("button", name="The next 24 tokens").click()
    expect(told(explore)).to_contain_text("Queries 24 to 47 of 1,500")
    queries = side(explore, "Queries")
    queries.focus()
    page.keyboard.press("End")
    expect(told(explore)).to_contain_text("Queries 1,476 to 1,499 of 1,500")
    expect(queries.locator(".active")).to_have_attribute("data-at", "1499")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    address_has(page, "picked=query.1498")
    page.keyboard.press("Home")
    expect(told(explore)).to_contain_text("Queries 0 to 23 of 1,500")
    expect(queries).to_be_focused()
    expect(queries.get_by_role("option").first).to_have_attribute("aria-setsize", "1500")


def test_a_key_that_is_chosen_elsewhere_leads_and_brings_who_looks_at_it(explore: Explore) -> None:
    long_lines(explore, "&picked=key.700", "Keys")
    expect(told(explore)).to_contain_text("Keys 688 to 711 of 1,500")
    queries = side(explore, "Queries").get_by_role("option")
    before = queries.count()
    queries.first.click()  # what is in sight may be picked, and all stays where it is
    address_has(explore.page, "picked=query.")
    expect(told(explore)).to_contain_text("Keys 688 to 711 of 1,500")
    expect(queries).to_have_count(before)


def test_too_many_lines_are_cut_to_the_strongest_and_said_so(explore: Explore) -> None:
    words = "%20".join(f"w{index}" for index in range(64))
    heads = "heads=0.0_0.1"
    open_lines(explore, f"&source=seeded&causal=false&threshold=0&{heads}&text={words}")
    expect(explore.page.locator(".lines .muted")).to_contain_text("The 6,000 strongest of 8,192")
