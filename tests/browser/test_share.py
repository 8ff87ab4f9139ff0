"""What is taken away: links, figures, numbers, a page in a file, and programs that run."""

from __future__ import annotations

import io
import json
import math
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Browser, Download, Route, expect

from tests.browser.hands import Explore, middle, until

SVG = "{http://www.w3.org/2000/svg}"
BODY = {"text": "a cat sat"}
ADDRESS = "/?text=a%20cat%20sat&head=1"


# The size of a picture, and which part of it is no hole.
OPEN_CELLS = """async (address) => {
  const image = Object.assign(new Image(), { src: address });
  await image.decode();
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const open = data.filter((_, at) => at % 4 === 3).reduce((sum, alpha) => sum + (alpha > 0), 0);
  return { width, height, open: open / (width * height) };
}"""


@pytest.fixture
def shared(elsewhere: Callable[..., Explore]) -> Explore:
    """The page with three tokens, and the dialog open on the weights."""
    desk = elsewhere(ADDRESS, permissions=["clipboard-read", "clipboard-write"])
    return opened(desk)


def opened(desk: Explore) -> Explore:
    desk.page.get_by_role("button", name="Share & export", exact=True).click()
    desk.page.get_by_role("dialog", name="Share & export").wait_for()
    return desk


def taken(desk: Explore, name: str) -> Download:
    with desk.page.expect_download() as download:
        desk.page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()
    return download.value


def copied(desk: Explore, name: str) -> str:
    dialog = desk.page.get_by_role("dialog")
    dialog.get_by_role("button", name=name).click()
    expect(dialog.get_by_role("status")).to_have_text("Copied.")
    text: str = desk.page.evaluate("navigator.clipboard.readText()")
    return text


def weights(desk: Explore, head: int = 1) -> np.ndarray:
    return np.array(desk.answer(BODY)["layers"][0]["weights"][0][head])


def ran(*command: str, text: str | None = None) -> str:
    """What a program prints."""
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, check=True, timeout=30
    )
    return done.stdout


def figure_as_svg(shared: Explore) -> None:
    dialog = shared.page.get_by_role("dialog")
    dialog.get_by_label("title").fill("Who looks & where")
    dialog.get_by_label("numbers in the cells").check()
    download = taken(shared, "SVG")
    assert download.suggested_filename.endswith("-weights-layer0-head1.svg")
    root = ElementTree.parse(download.path()).getroot()
    cells = root.findall(f"./{SVG}g[@shape-rendering]/{SVG}rect")
    table = shared.colours("sequential")
    open_cells = [
        value for row, values in enumerate(weights(shared)) for value in values[: row + 1]
    ]
    wanted = ["#" + bytes(table[int(value * 255 + 0.5)].tolist()).hex() for value in open_cells]
    assert [cell.get("fill") for cell in cells] == wanted
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert words[0] == "Who looks & where"
    assert f"{weights(shared)[2, 1]:.2f}" in words


def figure_as_png(shared: Explore) -> None:
    content = taken(shared, "PNG").path().read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(content[16:20], "big") >= 800, "the size of a print"


def numbers_of_the_chosen_extent(shared: Explore) -> None:
    with np.load(io.BytesIO(taken(shared, ".npz").path().read_bytes())) as file:
        assert list(file) == ["layers.0.weights"]
        np.testing.assert_array_equal(file["layers.0.weights"][0, 0], weights(shared))
    lines = taken(shared, "CSV").path().read_text().splitlines()
    assert len(lines) == 1 + 9
    assert lines[1].startswith("0,weights,0,1,0,0,")
    extent = shared.page.get_by_role("dialog").get_by_role("combobox", name="of", exact=True)
    extent.select_option("this stage, all layers and heads")
    stage = json.loads(taken(shared, "JSON").path().read_text())["layers"][0]
    assert np.array(stage["weights"]).shape == (1, 4, 3, 3)
    extent.select_option("every stage, layer and head")
    download = taken(shared, ".safetensors")
    assert download.suggested_filename.count("-") == 1
    assert b"layers.0.block_output" in download.path().read_bytes()


def program_with_its_numbers(shared: Explore, tmp_path: Path) -> None:
    download = taken(shared, "numpy")
    assert download.suggested_filename.endswith(".zip")
    with zipfile.ZipFile(download.path()) as archive:
        archive.extractall(tmp_path)
    printed = ran(sys.executable, str(tmp_path / "attention.py"))
    assert all(float(line.split()[-1]) < 1e-12 for line in printed.splitlines())


def program_that_asks(shared: Explore) -> None:
    printed = ran(sys.executable, "-c", copied(shared, "Copy as Python"))
    rows = [json.loads(line) for line in printed.splitlines()]
    np.testing.assert_array_equal(rows, weights(shared))


def command_that_asks(shared: Explore) -> None:
    found = json.loads(ran("bash", text=copied(shared, "Copy as curl")))
    assert found["trace"] == shared.answer(BODY)["trace"]
    assert len(found["layers"][0]) == 1


def test_what_is_taken_away_is_of_the_question(
    shared: Explore, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for take in (figure_as_svg, figure_as_png, numbers_of_the_chosen_extent):
        with subtests.test(take.__name__):
            take(shared)
    with subtests.test("program_with_its_numbers"):
        program_with_its_numbers(shared, tmp_path)
    for take in (program_that_asks, command_that_asks):
        with subtests.test(take.__name__):
            take(shared)


def test_the_page_in_a_file_works_with_no_network_and_a_copied_link_opens_the_same_view(
    shared: Explore, browser: Browser, tmp_path: Path
) -> None:
    link = copied(shared, "Copy: short")
    path = tmp_path / "trace.html"
    taken(shared, "HTML").save_as(path)
    context = browser.new_context(offline=True, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    complaints: list[Any] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(error))
    page.goto(path.as_uri())
    canvas = page.locator('[data-stage="weights"] canvas')
    expect(canvas).to_have_attribute("data-head", "1")  # as here
    page.get_by_role("button", name="layer 0, head 2").click()
    expect(canvas).to_have_attribute("data-head", "2")
    page.mouse.move(*middle(canvas, (2, 1), (3, 3)))
    readout = page.locator('[data-stage="weights"] .readout')
    expect(readout).to_contain_text(f"{weights(shared, 2)[2, 1]:.3f}")
    expect(readout).to_contain_text("sat → cat")
    page.get_by_role("button", name="Enlarge scores", exact=True).click()
    large = page.get_by_role("dialog")
    expect(large.get_by_role("heading", level=2)).to_have_text("scores")
    page.set_viewport_size({"width": 390, "height": 844})
    brand, title = (page.locator(f".top {one}").bounding_box() for one in (".brand", "h1"))
    assert brand is not None
    assert title is not None
    assert title["x"] >= brand["x"] + brand["width"] + 8, "the names in its head are apart"
    context.close()
    assert complaints == []
    shared.open(link.removeprefix(shared.url))
    expect(shared.sentence).to_have_value("a cat sat")
    expect(shared.page).to_have_url(f"{shared.url}{ADDRESS}")


@pytest.mark.full
def test_a_text_with_more_cells_than_a_canvas_can_have_is_on_paper_what_it_is_on_the_page(
    elsewhere: Callable[..., Explore],
) -> None:
    """17,000 tokens: 289 million cells, and Chromium's canvases end at 268 million."""
    desk = elsewhere("/?source=seeded&num_heads=1")
    desk.sentence.fill(" ".join(f"w{at % 97}" for at in range(17_000)))
    legend = desk.page.locator("[data-stage=weights] .legend")
    expect(legend).to_contain_text(re.compile(r"a point for \d\d"), timeout=60_000)
    (side,) = re.findall(r"a point for (\d+)", legend.inner_text())
    opened(desk)
    image = ElementTree.parse(taken(desk, "SVG").path()).getroot().find(f"{SVG}image")
    assert image is not None
    preview = desk.page.get_by_role("img", name="weights, as it will look on paper")
    expect(preview.locator("image")).to_have_attribute("href", str(image.get("href")))
    expect(preview.locator("image")).to_have_css("image-rendering", "pixelated")
    # An <img> would hold a document: Chromium ends a page that drops one while it lays out.
    expect(desk.page.locator("img")).to_have_count(0)
    drawn = desk.page.evaluate(OPEN_CELLS, image.get("href"))
    assert drawn["width"] == drawn["height"] == math.ceil(17_000 / int(side))
    assert 0.5 < drawn["open"] < 0.51  # the lower triangle, and the squares on its edge


def test_compare_with_sets_what_was_before_the_last_change_beside_what_is(window: Explore) -> None:
    page, note = window.page, window.card("weights").locator(".difference")
    window.open("/?text=a%20cat&seed=3&head=2")  # nothing changed yet: the same twice
    page.get_by_role("button", name="Compare with").click()
    pair = "a.text=a%20cat&a.seed=3&b.text=a%20cat&b.seed=3&head=2"
    expect(page).to_have_url(f"{window.url}/compare?{pair}")
    expect(note).to_have_text("no difference")
    window.open("/?text=a%20cat")
    window.ask(lambda: window.field("Mask").select_option(label="none"))
    page.get_by_role("button", name="Compare with").click()
    expect(page).to_have_url(f"{window.url}/compare?a.text=a%20cat&b.text=a%20cat&b.causal=false")
    expect(note).not_to_have_text("no difference")


def test_a_button_pressed_twice_before_its_script_opens_one_dialog_with_the_focus(
    elsewhere: Callable[..., Explore],
) -> None:
    window = elsewhere(ADDRESS)
    page = window.page
    held: list[Route] = []
    page.route("**/share/share-dialog.js", lambda route: held.append(route))
    page.locator("#share").get_by_role("button").dblclick()
    until(page, lambda: held, "the script is fetched")
    held[0].continue_()
    expect(window.large.get_by_role("textbox", name="short")).not_to_have_value("")
    assert page.evaluate("document.activeElement.closest('#takeaway') !== null")
