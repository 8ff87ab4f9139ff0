"""A stage in a frame of another page, and the page on paper."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, fits, until

if TYPE_CHECKING:
    from playwright.sync_api import Page

FRAME = """async (address) => {
  const frame = document.createElement("iframe");
  Object.assign(frame, { src: address, name: "inside", width: 640, height: 560 });
  document.body.replaceChildren(frame);
  await new Promise((loaded) => { frame.onload = loaded; });
}"""
# A page with a field of its own that has the focus before the frame comes.
HOST = """async (address) => {
  const own = Object.assign(document.createElement("input"), { id: "own" });
  document.body.replaceChildren(own);
  own.focus();
  const frame = document.createElement("iframe");
  Object.assign(frame, { src: address, width: 640, height: 560 });
  document.body.append(frame);
  await new Promise((loaded) => { frame.onload = loaded; });
}"""
CONTROLS = (".top", ".ask", "#tabs", "#tokens", "#inspector")


def test_one_stage_stands_in_a_frame_and_leads_to_the_whole_page(
    new_page: Callable[..., Page], live_server: str
) -> None:
    page = new_page()
    page.goto(f"{live_server}/api")
    page.evaluate(FRAME, "/embed?text=The%20cat%20sat&stage=weights&head=1")
    frame = page.frame_locator("iframe")
    expect(frame.locator("#large canvas[data-head='1']")).to_be_visible()
    for control in (*CONTROLS, "#pipeline"):
        expect(frame.locator(control)).to_be_hidden()
    link = frame.get_by_role("link", name="Open in attnscope")
    expect(link).to_have_attribute("href", re.compile(r"^/\?text=The.*&stage=weights&head=1$"))
    with page.context.expect_page() as opened:
        link.click()
    expect(opened.value.get_by_role("textbox", name="Sentence")).to_have_value("The cat sat")


def test_a_frame_of_one_stage_has_no_way_back_to_all(elsewhere: Callable[..., Explore]) -> None:
    explore = elsewhere(None)
    page, large = explore.page, explore.page.locator("#large")
    page.goto(f"{explore.url}/embed?text=a%20b%20c&stage=weights")
    expect(large.locator("canvas[data-layer]")).to_be_visible()
    expect(large.get_by_role("button", name="Close")).to_have_count(0)
    page.keyboard.press("Escape")
    large.get_by_role("grid").focus()
    page.keyboard.press("Escape")
    large.get_by_label("show as table").check()
    address_has(page, "stage=weights&table=true")
    expect(large).to_be_visible()


def test_a_stage_that_was_enlarged_in_a_frame_of_all_is_closed_again(
    elsewhere: Callable[..., Explore],
) -> None:
    explore = elsewhere("/embed?text=a%20b%20c")
    large = explore.page.locator("#large")
    for act in (
        large.get_by_role("button", name="Close").click,
        lambda: explore.page.keyboard.press("Escape"),
    ):
        explore.card("weights").get_by_role("button", name="Enlarge").click()
        expect(large.locator("canvas[data-layer]")).to_be_visible()
        act()
        expect(large).to_be_hidden()


@pytest.mark.parametrize("query", ["stage=weights", "cell=weights.2.1", "step=scores.50"])
def test_a_frame_leaves_the_focus_to_its_host(
    new_page: Callable[..., Page], live_server: str, query: str
) -> None:
    page = new_page()
    page.goto(f"{live_server}/api")
    page.evaluate(HOST, f"/embed?text=The%20cat%20sat&{query}")
    frame = page.frame_locator("iframe")
    frame.locator("canvas[data-layer]:visible").first.wait_for()
    expect(page.locator("#own")).to_be_focused()
    assert frame.locator("body").evaluate("(body) => document.activeElement === body")


def test_the_whole_page_does_not_come_into_a_frame(
    new_page: Callable[..., Page], live_server: str
) -> None:
    page = new_page()
    page.goto(f"{live_server}/api")
    page.evaluate(FRAME, "/")
    expect(page.frame_locator("iframe").locator("#sentence")).to_have_count(0)


def test_the_pipeline_in_a_frame_has_no_controls_and_fits(
    elsewhere: Callable[..., Explore],
) -> None:
    for width in (390, 1024):
        explore = elsewhere("/embed?text=a%20b%20c", viewport={"width": width, "height": 700})
        expect(explore.canvas("output")).to_be_visible()
        for control in CONTROLS:
            expect(explore.page.locator(control)).to_be_hidden()
        fits(explore.page, width)


def test_on_paper_there_are_pictures_and_no_controls(elsewhere: Callable[..., Explore]) -> None:
    explore = elsewhere("/?cell=weights.7.1", color_scheme="dark")
    dark = explore.pixels("weights")
    explore.page.emulate_media(media="print")
    explore.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for stage in ("x", "scores", "weights", "output"):
        expect(explore.canvas(stage)).to_be_visible()
    for control in ("#options", "#sentence textarea", "#tabs", ".enlarge", "#heads"):
        expect(explore.page.locator(control).first).to_be_hidden()
    expect(explore.page.locator("#tokens")).to_be_visible()
    expect(explore.inspector).to_be_visible()
    until(explore.page, lambda: explore.pixels("weights") != dark, "a light picture")
    explore.page.evaluate("dispatchEvent(new Event('afterprint'))")
    explore.page.emulate_media(media="screen")
    expect(explore.page.locator("html")).to_have_attribute("data-theme", "dark")


@pytest.mark.parametrize(
    "tab", ["lines", "heads", "gradients", "parameters", "worth", "decode", "lab"]
)
def test_a_tab_comes_on_paper_as_it_is_seen(elsewhere: Callable[..., Explore], tab: str) -> None:
    explore = elsewhere(None)
    page, panel = explore.page, explore.page.locator(f"#panel-{tab}")
    page.goto(f"{explore.url}/?tab={tab}&source=installed&name=echo&text=Emma%20met%20Anne.%20Emma")
    drawn = panel.locator("canvas, svg, .bar").first
    drawn.wait_for()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(drawn).to_be_visible()
    expect(page.locator("#pipeline")).to_be_hidden()
    for control in ("#tabs", "#options", f"#panel-{tab} [type=range] >> visible=true"):
        expect(page.locator(control)).to_be_hidden()


def test_the_paper_says_what_it_shows_and_where_it_is_from(
    elsewhere: Callable[..., Explore],
) -> None:
    explore = elsewhere("/?num_layers=2&layer=1&head=3&seed=7")
    expect(explore.inspector.get_by_role("heading").first).to_be_visible()
    explore.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    told = explore.page.locator(".imprint")
    for words in ("layer 1, head 3", "seeded", "seed 7", "layers 2", "heads 4", "d_model 64"):
        expect(told).to_contain_text(words)
    link = told.get_by_role("link")
    expect(link).to_have_text(f"{explore.url}/?seed=7&num_layers=2&layer=1&head=3")
    explore.page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(told).to_have_count(0)


@pytest.mark.parametrize("size", ["A4", "Letter"])
def test_the_stages_come_on_one_sheet(elsewhere: Callable[..., Explore], size: str) -> None:
    explore = elsewhere()
    expect(explore.inspector.get_by_role("heading").first).to_be_visible()
    paper = explore.page.pdf(format=size, landscape=True)
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 1


def texts(paper: bytes) -> list[int]:
    """How many texts are set on each sheet of what the browser prints."""
    parts = re.findall(rb"(?s)(\d+) 0 obj\n(.*?)\nendobj", paper)
    parts_by_number = {int(number): part for number, part in parts}
    sheets = [part for _, part in parts if re.search(rb"/Type\s*/Page\b", part)]
    streams = [parts_by_number[int(re.findall(rb"/Contents (\d+)", sheet)[0])] for sheet in sheets]
    drawn = [zlib.decompress(stream.split(b"stream\n", 1)[1]) for stream in streams]
    return [len(re.findall(rb"T[jJ]\b", each)) for each in drawn]


@pytest.mark.parametrize("landscape", [False, True])
def test_no_sheet_is_blank_where_a_cell_is_pinned(
    elsewhere: Callable[..., Explore], landscape: bool
) -> None:
    explore = elsewhere("/?cell=weights.7.1")
    expect(explore.inspector.locator("output")).to_be_visible()
    told = texts(explore.page.pdf(format="A4", landscape=landscape))
    assert len(told) > 1
    assert min(told) > 0


def test_what_is_folded_in_the_inspector_stands_open_on_paper(
    elsewhere: Callable[..., Explore],
) -> None:
    explore = elsewhere("/?cell=weights.7.1")
    page, inspector = explore.page, explore.inspector
    folds = inspector.locator("details:not(.why)")  # which asks the server when it is opened
    counts = inspector.locator("details .terms > li:not(.head)")
    expect(folds.first).not_to_have_attribute("open", "")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for fold in folds.all():
        expect(fold).to_have_attribute("open", "")
    expect(counts).to_have_count(16)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(folds.first).not_to_have_attribute("open", "")


def test_a_long_sum_is_printed_whole_and_then_as_it_was(elsewhere: Callable[..., Explore]) -> None:
    explore = elsewhere("/?cell=q.7.1")
    page, lines = explore.page, explore.inspector.locator(".terms > li:not(.head)")
    rest = explore.inspector.get_by_role("button", name="show all 64")
    expect(rest).to_be_visible()
    for _ in range(2):
        expect(lines).to_have_count(16)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        expect(lines).to_have_count(64)
        expect(rest).to_have_count(0)
        page.evaluate("dispatchEvent(new Event('afterprint'))")
    rest.click()
    expect(lines).to_have_count(64)


def test_the_paper_is_white(elsewhere: Callable[..., Explore]) -> None:
    explore = elsewhere(color_scheme="dark")
    explore.page.emulate_media(media="print")
    explore.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    seen = explore.photograph(explore.page.locator("body"))
    assert np.all(seen[-1, -1, :3] == 255)
