"""Questions that are more than comes as numbers: pictures travel, and numbers that are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Request, expect

from tests.browser.hands import Explore, box, until
from tests.browser.pixels import centres

MB = 1_000_000
JSON = {"Content-Type": "application/json"}
WATCH = """(readout) => {
  window.told = [];
  const note = () => {
    const text = readout.hidden ? "" : readout.firstElementChild?.textContent ?? "";
    if (text && text !== told.at(-1)) told.push(text);
  };
  new MutationObserver(note).observe(readout, { childList: true, subtree: true, attributes: true });
}"""


@dataclass
class Traffic:
    """What a page asked the API for, and how many bytes came of it, as they came over the wire."""

    bytes: int = 0
    paths: list[str] = field(default_factory=list)

    def note(self, request: Request) -> None:
        if "/api/" in request.url:
            self.bytes += max(0, request.sizes()["responseBodySize"])
            self.paths.append(f"{request.method} {request.url.partition('/api/v1/')[2]}")


@pytest.fixture
def traffic(window: Explore) -> Iterator[Traffic]:
    heard = Traffic()
    window.page.on("requestfinished", heard.note)
    yield heard
    window.page.remove_listener("requestfinished", heard.note)


def words(n: int) -> str:
    return "%20".join(f"w{index}" for index in range(n))


def body(n: int, **model: int) -> dict[str, Any]:
    text = " ".join(f"w{index}" for index in range(n))
    return {"text": text, "model": {"source": "seeded", **model}}


def visit(window: Explore, address: str) -> None:
    """Opens what shows no card of the weights."""
    window.page.goto(f"{window.url}{address}", wait_until="commit")
    window.settle()


def ready(page: Page) -> None:
    expect(page.locator("body")).to_have_attribute("data-status", "ready")
    page.wait_for_load_state("networkidle")


def block(window: Explore, question: dict[str, Any], stage: str, place: str) -> np.ndarray:
    """A block of a stage as the API says it, past the page."""
    api = f"{window.url}/api/v1/traces"
    trace = window.page.request.post(api, data=json.dumps(question), headers=JSON).json()["trace"]
    reply = window.page.request.get(f"{api}/{trace}/stages/{stage}?{place}")
    return np.array(reply.json()["values"], dtype=float)


def point(page: Page, canvas: Locator, row: float, col: float, n: int) -> None:
    """Puts the pointer on a cell of a map of n × n."""
    canvas.scroll_into_view_if_needed()
    at = box(canvas)
    page.mouse.move(
        at["x"] + (col + 0.5) * at["width"] / n, at["y"] + (row + 0.5) * at["height"] / n
    )


@pytest.mark.parametrize("tab", ["stages", "heads"])
def test_a_hundred_heads_of_many_tokens_are_little_to_send(
    window: Explore, traffic: Traffic, tab: str
) -> None:
    sizes = "num_layers=12&num_heads=12&d_model=192"
    visit(window, f"/?source=seeded&{sizes}&text={words(128)}&tab={tab}")
    tiles = window.page.locator(
        "#heads canvas:visible" if tab == "stages" else ".tile:not(.absent)"
    )
    expect(tiles).to_have_count(144)
    ready(window.page)
    assert traffic.bytes <= 2.5 * MB
    assert not [path for path in traffic.paths if path.startswith("POST attention")]


def test_a_head_of_two_thousand_tokens_is_little_to_send(window: Explore, traffic: Traffic) -> None:
    window.open(f"/?source=seeded&num_heads=1&text={words(2048)}")
    for stage in ("x", "q", "scores", "masked_scores", "weights", "output"):
        expect(window.canvas(stage)).to_be_visible()
    ready(window.page)
    assert traffic.bytes <= 3 * MB
    assert not [path for path in traffic.paths if path.startswith("POST attention")]
    legend = window.card("scores").locator(".legend")
    expect(legend).to_contain_text("quantised, a point for 4 × 4")


def test_the_number_under_the_pointer_is_a_points_at_once_and_its_own_when_it_comes(
    window: Explore,
) -> None:
    n = 640  # a point of the picture is 2 × 2 of its cells
    window.open(f"/?source=seeded&text={words(n)}")
    card = window.card("weights")
    card.locator(".readout").evaluate(WATCH)
    canvas = window.canvas("weights")
    row, col = 400, 200
    point(window.page, canvas, row, col, n)
    readout = card.locator(".readout")
    expect(readout).not_to_contain_text("≈")
    told = window.page.evaluate("told")
    assert told[0].startswith("≈")
    assert "2 × 2" in told[0]
    place = readout.locator("span").text_content() or ""
    at, to = (int(name[1:]) for name in place.split(" → "))
    value = block(window, body(n), "weights", f"rows={at}:{at + 1}&cols={to}:{to + 1}")[0, 0]
    shown = readout.locator("b").text_content() or ""
    if "×" not in shown:  # else it is written as a power of ten
        assert abs(float(shown) - value) <= 0.0005
    expect(window.page.locator(".seen-line")).to_contain_text(f"w{at}")


def test_a_picture_of_every_cell_has_the_colours_of_its_numbers(window: Explore) -> None:
    n = 250
    visit(window, f"/?source=seeded&num_heads=8&text={words(n)}&stage=masked_scores")
    expect(window.page.locator("#large .legend .quantised")).to_have_text("quantised")
    canvas = window.page.locator("#large canvas[data-layer]")
    numbers = block(window, body(n, num_heads=8), "masked_scores", "rows=0:250&cols=0:250")
    seen = centres(canvas, n, n)
    closed = np.isnan(numbers)
    assert (seen[..., 3] == np.where(closed, 0, 255)).all()
    scaled = block(window, body(n, num_heads=8), "scaled_scores", "rows=0:250&cols=0:250")
    part = (numbers / np.abs(scaled).max() + 1) / 2
    colours = window.colours("diverging")
    near = [
        colours[np.clip(np.round(255 * part[~closed]) + by, 0, 255).astype(int)]
        for by in (-1, 0, 1)
    ]
    apart = np.min(
        [np.abs(seen[~closed][:, :3].astype(int) - each[:, :3]).max(axis=1) for each in near],
        axis=0,
    )
    assert apart.max() <= 2  # half a step of 255 is a colour at most


def test_a_table_and_a_pinned_cell_have_numbers(window: Explore) -> None:
    n = 400
    visit(window, f"/?source=seeded&text={words(n)}&stage=weights&table=true&cell=weights.9.2")
    weights = block(window, body(n), "weights", "rows=0:64&cols=0:64")
    cell = window.page.locator("#large tbody tr").nth(9).locator("td").nth(2)
    expect(cell).to_have_text(f"{weights[9, 2]:.3f}")
    bars = window.inspector.locator(".bars .number")
    expect(bars).to_have_count(10)
    expect(bars.nth(2)).to_have_text(f"{weights[9, 2]:.3f}")


def test_several_heads_of_a_long_text_are_read_together(window: Explore) -> None:
    n = 600
    visit(window, f"/?source=seeded&text={words(n)}&tab=heads&heads=0.0_0.1")
    large = window.page.locator(".together canvas[data-layer]")
    point(window.page, large, 300, 100, n)
    readout = window.page.locator(".together .readout")
    expect(readout).to_be_visible()
    expect(readout).not_to_contain_text("≈")
    place = readout.locator("span").text_content() or ""
    at, to = (int(name[1:]) for name in place.split(" → "))
    where = f"rows={at}:{at + 1}&cols={to}:{to + 1}"
    both = [block(window, body(n), "weights", f"head={head}&{where}")[0, 0] for head in (0, 1)]
    shown = readout.locator("b").text_content() or ""
    if "×" not in shown:
        assert abs(float(shown) - np.mean(both)) <= 0.0005


def test_lines_of_a_long_text_are_the_strongest_of_each_token(window: Explore) -> None:
    visit(window, f"/?source=seeded&text={words(600)}&tab=lines&threshold=0.01")
    page = window.page
    expect(page.locator(".web-frame ~ .muted").first).to_contain_text("3 strongest of each token")
    query = page.locator(".web ul.axis-query li").nth(20)
    query.hover()
    met = page.locator(".web ul.axis-key li.met b, .web ul.axis-key li b:not(:empty)")
    until(page, lambda: met.count() > 0, "the weights of the token's lines come")


def test_a_long_text_is_told_step_by_step(window: Explore) -> None:
    n = 400
    window.open(f"/?source=seeded&text={words(n)}&cell=weights.9.2&step=scores.100")
    score = block(window, body(n), "scores", "rows=9:10&cols=2:3")[0, 0]
    told = window.page.locator("#stepper .sum")
    expect(told).to_have_text(f"Σ = {score:.3f}".replace("-", "−"))


def test_a_change_of_a_long_text_is_shown_by_its_numbers(window: Explore) -> None:
    window.open(f"/?source=seeded&text={words(320)}")
    window.drawer()
    scale = window.page.get_by_title("What multiplies the scores").get_by_role("combobox")
    scale.select_option("none")
    ready(window.page)
    window.page.get_by_role("button", name="Show change").click()
    changed = window.card("scaled_scores").locator(".change canvas[data-layer]")
    expect(changed).to_be_visible()
    expect(window.card("scores").locator(".change .same")).to_be_visible()


def test_another_head_and_another_sentence_come_as_pictures_too(
    window: Explore, traffic: Traffic
) -> None:
    lines = f"{words(400)}%0A{words(380)}"
    window.open(f"/?source=seeded&text={lines}")
    ready(window.page)
    window.page.locator(".thumbnail[data-head='2']").click()
    expect(window.canvas("weights")).to_have_attribute("data-head", "2")
    before = window.pixels("weights")
    window.page.get_by_role("tab", name="Stages").focus()
    window.page.goto(f"{window.page.url}&batch=1", wait_until="commit")
    ready(window.page)
    until(window.page, lambda: window.pixels("weights") != before, "the other sentence is seen")
    assert any("batch=1" in path for path in traffic.paths)


def test_nothing_large_is_asked_of_a_small_question(
    elsewhere: Callable[..., Explore],
) -> None:
    explore = elsewhere()
    asked = [request.url for request in explore.watch.requests]
    assert not [url for url in asked if "/pictures/" in url or "/thumbnails/" in url]
    assert not [url for url in asked if "pictured" in url]
    expect(explore.page.locator(".legend .quantised:not(:empty)")).to_have_count(0)


def test_a_token_of_a_long_text_is_pointed_at_and_pressed(window: Explore) -> None:
    window.open(f"/?source=seeded&text={words(400)}")
    ready(window.page)
    token = window.page.locator(".sentence-plot li").nth(20)
    name = (token.text_content() or "").strip()
    token.click()
    expect(window.inspector).to_contain_text(f"Where “{name}” looks")
    expect(window.page.locator(".seen-line")).to_contain_text(name)
