"""What people take away: links, figures, numbers, a page in a file, and programs that run."""

from __future__ import annotations

import io
import json
import math
import re
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Browser, Download, Route, expect

from tests.browser.hands import SEEDED, Explore, middle, until
from tests.browser.test_change import asked, typed

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


def weights(desk: Explore, head: int = 1) -> np.ndarray:
    return np.array(desk.answer(BODY)["layers"][0]["weights"][0][head])


def test_the_svg_is_a_vector_picture_of_the_numbers(shared: Explore) -> None:
    download = taken(shared, "SVG")
    assert download.suggested_filename.endswith("-weights-layer0-head1.svg")
    root = ElementTree.parse(download.path()).getroot()
    assert root.find(f".//{SVG}image") is None
    cells = root.findall(f"./{SVG}g[@shape-rendering]/{SVG}rect")
    table = shared.colours("sequential")
    open_cells = [
        value for row, values in enumerate(weights(shared)) for value in values[: row + 1]
    ]
    wanted = ["#" + bytes(table[int(value * 255 + 0.5)].tolist()).hex() for value in open_cells]
    assert [cell.get("fill") for cell in cells] == wanted
    words = [text.text for text in root.iter(f"{SVG}text")]
    for word in ("weights", "a", "cat", "sat", "query ↓", "key →", "0", "1", "masked"):
        assert word in words
    assert not any(part.get("font-family", "sans-serif") != "sans-serif" for part in root.iter())


def test_a_title_and_numbers_go_into_the_figure(shared: Explore) -> None:
    dialog = shared.page.get_by_role("dialog")
    dialog.get_by_label("title").fill("Who looks & where")
    dialog.get_by_label("numbers in the cells").check()
    root = ElementTree.parse(taken(shared, "SVG").path()).getroot()
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert words[0] == "Who looks & where"
    assert f"{weights(shared)[2, 1]:.2f}" in words


def test_the_png_has_the_size_of_a_print(shared: Explore) -> None:
    content = taken(shared, "PNG").path().read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(content[16:20], "big") >= 800


def test_many_cells_become_one_bitmap(elsewhere: Callable[..., Explore]) -> None:
    desk = opened(elsewhere(f"/?text={'a%20' * 65}b"))
    root = ElementTree.parse(taken(desk, "SVG").path()).getroot()
    image = root.find(f"{SVG}image")
    assert image is not None
    assert (image.get("href") or "").startswith("data:image/png;base64,")
    assert root.find(f"./{SVG}g[@shape-rendering]") is None


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


def test_all_of_it_is_of_the_question_that_back_leads_to(elsewhere: Callable[..., Explore]) -> None:
    desk = elsewhere("/?source=seeded&text=alpha%20beta")
    desk.sentence.fill("gamma delta")
    desk.page.wait_for_url("**text=gamma*")
    opened(desk)
    dialog = desk.page.get_by_role("dialog")
    full = dialog.get_by_label("full", exact=True)
    expect(full).to_have_value(re.compile("gamma"))
    desk.page.evaluate("history.back()")
    expect(full).to_have_value(re.compile("alpha"))
    expect(dialog.get_by_role("img")).to_contain_text("beta")
    expect(dialog.get_by_label("HTML", exact=True)).to_have_value(re.compile("alpha"))


def test_what_has_no_numbers_is_not_taken_away(elsewhere: Callable[..., Explore]) -> None:
    desk = elsewhere("/?source=seeded&text=alpha%20beta")
    held: list[Route] = []
    desk.page.route("**/api/v1/attention", lambda route: held.append(route))
    desk.sentence.fill("gamma delta")
    until(desk.page, lambda: held, "the question goes out")
    opened(desk)
    dialog = desk.page.get_by_role("dialog")
    full = dialog.get_by_label("full", exact=True)
    expect(dialog.get_by_role("status")).to_have_text(re.compile("on their way"))
    expect(dialog.locator(".columns")).to_have_js_property("inert", True)
    held[0].continue_()
    expect(full).to_have_value(re.compile("gamma"))
    expect(dialog.get_by_role("img")).to_contain_text("delta")
    expect(dialog.get_by_role("status")).to_have_text("")


def test_a_card_and_the_large_view_open_their_own_stage(explore: Explore) -> None:
    stage = explore.page.locator("#takeaway").get_by_role("combobox", name="stage", exact=True)
    explore.card("scores").hover()
    explore.card("scores").get_by_role("button", name="Share & export scores").click()
    expect(stage).to_have_value("scores")
    explore.page.keyboard.press("Escape")
    explore.card("q").get_by_role("button", name="Enlarge q").click()
    explore.page.locator("#large").get_by_role("button", name="Share & export q").click()
    expect(stage).to_have_value("q")


def test_a_frame_is_offered_with_the_pages_that_may_show_it(shared: Explore) -> None:
    dialog = shared.page.get_by_role("dialog", name="Share & export")
    expect(dialog).to_contain_text("Pages that may show it: those of this server.")
    dialog.get_by_role("combobox", name="stage", exact=True).select_option("scores")
    dialog.get_by_role("button", name="Copy: HTML").click()
    code = shared.page.evaluate("navigator.clipboard.readText()")
    assert 'title="attnscope: scores"' in code
    shared.page.goto(f"{shared.url}/api")
    shared.page.evaluate("(code) => { document.body.innerHTML = code; }", code)
    inside = shared.page.frame_locator("iframe")
    inside.locator("#large[open] canvas[data-head='1']").wait_for()
    expect(inside.locator("#large")).to_have_attribute("aria-label", "scores")
    expect(inside.get_by_role("link", name="Open in attnscope")).to_be_visible()


def test_a_long_link_is_told_of_where_it_is_copied(elsewhere: Callable[..., Explore]) -> None:
    words = "%20".join(f"word{at}" for at in range(400))
    desk = opened(elsewhere(f"/?source=seeded&text={words}"))
    dialog = desk.page.get_by_role("dialog")
    full = dialog.get_by_label("full", exact=True)
    length = len(full.input_value())
    assert length > 2000
    said = f"has {length:,} characters: mail and chat programs may cut it"
    expect(full).to_have_accessible_description(re.compile(said))
    expect(dialog.locator("#link-note")).to_be_visible()


def test_the_names_of_many_tokens_keep_apart_on_paper(elsewhere: Callable[..., Explore]) -> None:
    """And the picture stays as large as a page."""
    words = "%20".join(f"word{at}" for at in range(700))
    desk = opened(elsewhere(f"/?source=seeded&num_heads=1&text={words}"))
    root = ElementTree.parse(taken(desk, "SVG").path()).getroot()
    assert max(float(root.attrib[side]) for side in ("width", "height")) < 800
    names = [each for each in root.iter(f"{SVG}text") if re.fullmatch(r"word\d+", each.text or "")]
    down = [float(each.attrib["y"]) for each in names if "transform" not in each.attrib]
    across = [float(each.attrib["x"]) for each in names if "transform" in each.attrib]
    for places in (down, across):
        assert len(places) > 20
        assert all(after - before >= 12 for before, after in pairwise(places))


def test_numbers_come_as_files_of_the_chosen_extent(shared: Explore) -> None:
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


def test_the_question_comes_as_a_program_that_makes_it_again(
    shared: Explore, tmp_path: Path
) -> None:
    with shared.page.expect_download() as held:
        shared.page.get_by_role("dialog").get_by_role("button", name="numpy", exact=True).click()
    assert held.value.suggested_filename.endswith(".zip")
    with zipfile.ZipFile(held.value.path()) as archive:
        archive.extractall(tmp_path)
    run = subprocess.run(
        [sys.executable, str(tmp_path / "attention.py")],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert all(float(line.split()[-1]) < 1e-12 for line in run.stdout.splitlines())


def test_the_page_in_a_file_works_with_no_network(
    shared: Explore, browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "trace.html"
    taken(shared, "HTML").save_as(path)
    context = browser.new_context(offline=True, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    complaints: list[Any] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(error))
    page.goto(path.as_uri())
    page.locator(".thumbnail").nth(2).click()
    canvas = page.locator('[data-stage="weights"] canvas')
    expect(canvas).to_have_attribute("data-head", "2")
    page.mouse.move(*middle(canvas, (2, 1), (3, 3)))
    readout = page.locator('[data-stage="weights"] .readout')
    expect(readout).to_contain_text(f"{weights(shared, 2)[2, 1]:.3f}")
    expect(readout).to_contain_text("sat → cat")
    page.locator('[data-stage="scores"]').get_by_role("button", name="Enlarge").click()
    expect(page.locator("#large h2")).to_have_text("scores")
    context.close()
    assert complaints == []


def test_both_links_lead_to_the_same_view(
    shared: Explore, elsewhere: Callable[..., Explore]
) -> None:
    dialog = shared.page.get_by_role("dialog")
    full = dialog.get_by_label("full", exact=True).input_value()
    assert full == f"{shared.url}{ADDRESS}"
    short = dialog.get_by_label("short", exact=True)
    until(shared.page, short.input_value, "the short link")
    address = f"{shared.url}/?t={shared.answer(BODY)['trace']}"
    expect(short).to_have_value(re.compile(f"^{re.escape(address)}"))
    dialog.get_by_role("button", name="Copy: short").click()
    expect(dialog.get_by_role("status")).to_have_text("Copied.")
    copied = shared.page.evaluate("navigator.clipboard.readText()")
    other = elsewhere(copied.removeprefix(shared.url))
    expect(other.sentence).to_have_value("a cat sat")
    expect(other.canvas("weights")).to_have_attribute("data-head", "1")
    expect(other.page).to_have_url(full)


def test_a_link_to_what_the_page_opens_on_says_all_of_it(
    elsewhere: Callable[..., Explore],
) -> None:
    window = elsewhere("/")
    was = window.question()
    window.page.locator("#share [data-take]").click()
    dialog = window.page.get_by_role("dialog")
    expect(dialog.get_by_role("img")).to_be_visible()
    full = dialog.get_by_label("full", exact=True).input_value()
    other = elsewhere(f"{full.removeprefix(window.url)}&lang=zh")
    assert other.question() == was
    with window.page.expect_download() as held:
        dialog.get_by_role("button", name="SVG", exact=True).click()
    assert "echo — trained, 2 layers × 4 heads" in held.value.path().read_text(encoding="utf-8")


def test_a_short_link_is_drawn_without_what_says_that_it_is_lost(window: Explore) -> None:
    trace = window.answer(BODY)["trace"]
    window.page.route("**/share/lost-question.js", lambda route: None)  # it never comes
    window.open(f"/?t={trace}")
    expect(window.sentence).to_have_value("a cat sat")
    window.page.unroute("**/share/lost-question.js")


def test_a_link_to_a_forgotten_question_says_so(explore: Explore) -> None:
    explore.open(f"/?t={'0' * 32}")
    alert = explore.page.locator("#main > [role=alert]")
    expect(alert).to_contain_text("This link leads nowhere.")
    alert.get_by_role("button", name="Close").click()
    expect(alert).to_be_hidden()
    expect(explore.page).to_have_url(f"{explore.url}{SEEDED}")


def test_the_python_program_runs(shared: Explore) -> None:
    shared.page.get_by_role("button", name="Copy as Python").click()
    expect(shared.page.get_by_role("dialog").get_by_role("status")).to_have_text("Copied.")
    program = shared.page.evaluate("navigator.clipboard.readText()")
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30
    )
    printed = [json.loads(line) for line in ran.stdout.splitlines()]
    np.testing.assert_array_equal(printed, weights(shared))


@pytest.mark.parametrize("text", ['it\'s \\ "so" $HOME', "猫 `爱` 鱼 😀"])
def test_the_curl_command_asks_the_same(elsewhere: Callable[..., Explore], text: str) -> None:
    desk = elsewhere(SEEDED, permissions=["clipboard-read", "clipboard-write"])
    body = desk.ask(lambda: desk.sentence.fill(text))
    desk.shows(body)
    opened(desk).page.get_by_role("button", name="Copy as curl").click()
    expect(desk.page.get_by_role("dialog").get_by_role("status")).to_have_text("Copied.")
    command = desk.page.evaluate("navigator.clipboard.readText()")
    words = shlex.split(command.replace("\\\n", ""))
    assert words[:2] == ["curl", "-sS"]
    kind = {"Content-Type": "application/json"}
    with urlopen(Request(words[2], headers=kind, data=words[-1].encode())) as reply:
        found = json.load(reply)
    assert found["trace"] == desk.answer(body)["trace"]
    assert len(found["layers"][0]) == 1


def test_a_command_whose_matrices_are_long_reads_them_from_behind_it(
    elsewhere: Callable[..., Explore],
) -> None:
    desk = elsewhere(
        "/?positions=rotary&cell=w_q.3.5", permissions=["clipboard-read", "clipboard-write"]
    )
    expect(typed(desk)).not_to_have_value("")
    body = asked(desk, lambda: typed(desk).fill("9"))
    desk.shows(body, ["weights"])
    opened(desk).page.get_by_role("button", name="Copy as curl").click()
    expect(desk.page.get_by_role("dialog").get_by_role("status")).to_have_text("Copied.")
    command = desk.page.evaluate("navigator.clipboard.readText()")
    assert max(map(len, shlex.split(command.partition("<<")[0]))) < 100
    ran = subprocess.run(
        ["bash"], input=command, capture_output=True, text=True, check=True, timeout=30
    )
    found = json.loads(ran.stdout)
    assert found["trace"] == desk.answer(body)["trace"]
    assert body["model"]["positions"] == "rotary"


def test_compare_with_sets_what_was_before_the_last_change_beside_what_is(explore: Explore) -> None:
    explore.open("/?text=a%20cat")
    explore.ask(lambda: explore.field("Mask").select_option(label="none"))
    explore.page.get_by_role("button", name="Compare with").click()
    pair = "a.text=a%20cat&b.text=a%20cat&b.causal=false"
    expect(explore.page).to_have_url(f"{explore.url}/compare?{pair}")
    expect(explore.page.locator('[data-stage="weights"] .told')).not_to_have_text("no difference")


def test_compare_with_begins_with_the_same_question_twice_where_nothing_changed(
    explore: Explore,
) -> None:
    explore.open("/?text=a%20cat&seed=3&head=2")
    explore.page.get_by_role("button", name="Compare with").click()
    pair = "a.text=a%20cat&a.seed=3&b.text=a%20cat&b.seed=3&head=2"
    expect(explore.page).to_have_url(f"{explore.url}/compare?{pair}")
    expect(explore.page.locator('[data-stage="weights"] .told')).to_have_text("no difference")
