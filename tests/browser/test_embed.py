"""A stage in a frame of another page, and the page on paper."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.hands import SEEDED, Explore, box, fits, until

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


TABS = ("Lines", "Heads", "Gradients", "Parameters", "Worth", "Decode", "Laboratory")


def test_one_stage_stands_in_a_frame_and_leads_to_the_whole_page(
    new_page: Callable[..., Page], live_server: str
) -> None:
    page = new_page()
    page.goto(f"{live_server}/nowhere")
    frame = page.frame_locator("iframe")
    page.evaluate(FRAME, "/")
    # The whole page does not come into one.
    expect(frame.get_by_role("textbox", name="Sentence")).to_have_count(0)
    for query in ("cell=weights.2.1", "step=scores.50", "stage=weights&head=1"):
        page.evaluate(HOST, f"/embed?text=The%20cat%20sat&{query}")
        frame.locator("canvas[data-layer]:visible").first.wait_for()
        expect(page.locator("#own")).to_be_focused()
        assert frame.locator("body").evaluate("(body) => document.activeElement === body")
    expect(frame.get_by_role("dialog").locator("canvas[data-head='1']")).to_be_visible()
    for control in (*CONTROLS, "#pipeline"):
        expect(frame.locator(control)).to_be_hidden()
    link = frame.get_by_role("link", name="Open in attnscope")
    with page.context.expect_page() as opened:
        link.click()
    expect(opened.value.get_by_role("textbox", name="Sentence")).to_have_value("The cat sat")


def test_the_pipeline_in_a_frame_has_no_controls_and_fits(
    elsewhere: Callable[..., Explore],
) -> None:
    explore = elsewhere("/embed?text=a%20b%20c", viewport={"width": 390, "height": 700})
    for width in (390, 1024):
        explore.page.set_viewport_size({"width": width, "height": 700})
        expect(explore.canvas("output")).to_be_visible()
        for control in CONTROLS:
            expect(explore.page.locator(control)).to_be_hidden()
        fits(explore.page, width)


def texts(paper: bytes) -> list[int]:
    """How many texts are set on each sheet of what the browser prints."""
    parts = re.findall(rb"(?s)(\d+) 0 obj\n(.*?)\nendobj", paper)
    parts_by_number = {int(number): part for number, part in parts}
    sheets = [part for _, part in parts if re.search(rb"/Type\s*/Page\b", part)]
    streams = [parts_by_number[int(re.findall(rb"/Contents (\d+)", sheet)[0])] for sheet in sheets]
    drawn = [zlib.decompress(stream.split(b"stream\n", 1)[1]) for stream in streams]
    return [len(re.findall(rb"T[jJ]\b", each)) for each in drawn]


def test_on_paper_there_are_light_pictures_and_no_controls(
    elsewhere: Callable[..., Explore],
) -> None:
    explore = elsewhere("/?cell=weights.7.1", color_scheme="dark")
    page = explore.page
    expect(explore.value).to_be_visible()
    dark = explore.pixels("weights")
    for landscape in (False, True):
        pages = texts(page.pdf(format="A4", landscape=landscape))
        assert len(pages) > 1
        assert min(pages) > 0, "no sheet is blank"
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for stage in ("x", "scores", "weights", "output"):
        expect(explore.canvas(stage)).to_be_visible()
    for control in ("#options", "#sentence textarea", "#tabs", ".enlarge", "#heads", "#show"):
        expect(page.locator(control).first).to_be_hidden()
    expect(explore.tokens).to_be_visible()
    expect(explore.inspector).to_be_visible()
    until(page, lambda: explore.pixels("weights") != dark, "a light picture")
    white = (explore.photograph(page.locator("#tokens")) == 255).all(axis=-1)
    assert white.mean() > 0.5, "a white sheet"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


GRIDS = """() => [...document.querySelectorAll(".card")].flatMap((card) => {
  if (!card.checkVisibility()) return [];
  const around = [];
  for (let at = card.parentElement; at !== document.body; at = at.parentElement) around.push(at);
  const boxes = around.filter((box) => /grid|flex/.test(getComputedStyle(box).display));
  return boxes.map((box) => box.className || box.id);
})"""


def test_what_stays_whole_on_a_sheet_is_in_blocks(explore: Explore) -> None:
    """Else Firefox cuts through it: only boxes side by side are in grids."""
    page = explore.page
    shown = "source=installed&name=echo&text=a%20b"
    for address in ("/compare", f"/?{shown}&tab=gradients", f"/?{shown}&tab=decode"):
        page.goto(f"{explore.url}{address}")
        page.locator(".card canvas:visible").first.wait_for()
        page.emulate_media(media="print")
        assert set(page.evaluate(GRIDS)) <= {"row", "row under", "plates", "columns"}, address
        page.emulate_media(media="null")


def test_the_stages_come_on_one_sheet_and_a_tab_as_it_is_seen(explore: Explore) -> None:
    page = explore.page
    for address in (SEEDED, "/?source=installed&name=echo", f"{SEEDED}&stage=weights"):
        explore.open(address)
        for size in ("A4", "Letter"):
            paper = page.pdf(format=size, landscape=True)
            assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 1, address
    large = page.locator("#large canvas[data-layer]")
    high = box(large)["height"]
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert box(large)["height"] > high / 2
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    page.goto(f"{explore.url}/?source=installed&name=echo&text=Emma%20met%20Anne.%20Emma")
    for tab in TABS:
        explore.tab(tab).click()
        panel = explore.panel(tab)
        drawn = panel.locator("canvas, svg, .bar").first
        drawn.wait_for()
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        expect(drawn).to_be_visible()
        tabs = page.get_by_role("tablist", name="Ways to look")
        for control in (
            explore.panel("Stages"),
            tabs,
            explore.options,
            panel.get_by_role("slider"),
        ):
            expect(control).to_be_hidden()
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.emulate_media(media="screen")
