"""Two questions side by side: edited apart, looked at together, and their difference in numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.hands import PATIENCE, Watch, box, fits, middle, until
from tests.browser.pixels import alike, centres, painted, stage_cells, table

A: dict[str, object] = {"text": "a cat sat"}
B: dict[str, object] = {"text": "a cat sat", "model": {"source": "seeded", "seed": 1}}
ADDRESS = "/compare?a.text=a%20cat%20sat&b.text=a%20cat%20sat&b.seed=1"


@pytest.fixture
def compare(new_page: Callable[..., Page], live_server: str) -> Iterator[Callable[..., Page]]:
    """Opens the page at an address, and waits for the difference to be drawn."""
    watches: list[Watch] = []

    def open_page(address: str = ADDRESS, **options: object) -> Page:
        page = new_page(
            **{"viewport": {"width": 1440, "height": 900}, "locale": "en-US", **options}
        )
        page.set_default_timeout(PATIENCE * 1000)
        watches.append(Watch(page, live_server))
        page.goto(f"{live_server}{address}", wait_until="commit")
        figure(page, "weights", "difference").locator("canvas[data-layer]").wait_for()
        return page

    yield open_page
    assert [trouble for watch in watches for trouble in watch.troubles()] == []


def figure(page: Page, stage: str, of: str) -> Locator:
    return page.locator(f'[data-stage="{stage}"] [data-of="{of}"]')


def cells(page: Page, url: str, body: dict[str, object], stage: str) -> np.ndarray:
    return stage_cells(
        page.request.post(f"{url}/api/v1/attention", data=body).json(), stage, 0, 0, 0
    )


def test_the_difference_is_b_minus_a_in_colours_and_in_words(
    compare: Callable[..., Page], live_server: str
) -> None:
    page = compare()
    a, b = (cells(page, live_server, body, "weights") for body in (A, B))
    by = b - a
    size = np.nanmax(np.abs(by))
    colours = table(
        page.evaluate(
            "JSON.parse(document.getElementById('page-data').text).colors.light.diverging"
        )
    )
    canvas = figure(page, "weights", "difference").locator("canvas")
    wanted = painted(by, colours, -size, size)
    until(page, lambda: alike(centres(canvas, 3, 3), wanted), "the colours of the difference")
    told = page.locator('[data-stage="weights"] .told')
    expect(told).to_contain_text(f"max |Δ| {size:.3f}")
    expect(told).to_contain_text(f"mean |Δ| {np.nanmean(np.abs(by)):.3f}")
    row = page.locator("#differences tr", has=page.get_by_role("link", name="weights", exact=True))
    expect(row).to_contain_text(f"{size:.3f}")


def test_pointing_at_one_picture_tells_all_three_numbers(
    compare: Callable[..., Page], live_server: str
) -> None:
    page = compare()
    a, b = (cells(page, live_server, body, "weights")[2, 1] for body in (A, B))
    canvas = figure(page, "weights", "b").locator("canvas")
    canvas.scroll_into_view_if_needed()
    page.mouse.move(*middle(canvas, (2, 1), (3, 3)))
    line = page.locator("#trio")
    for text in ("sat → cat", f"{a:.3f}", f"{b:.3f}", f"{abs(b - a):.3f}"):
        expect(line).to_contain_text(text)
    for of in ("a", "b", "difference"):
        expect(figure(page, "weights", of).locator(".lit.cell")).to_be_visible()


def test_it_opens_on_a_pair_that_differs_and_says_so_in_the_address(
    compare: Callable[..., Page],
) -> None:
    page = compare("/compare?lang=en")
    expect(page).to_have_url(re.compile(r"/compare\?lang=en&b\.text=The%20animal[^&]*wide\.$"))
    for stage in ("x", "weights"):
        expect(page.locator(f'[data-stage="{stage}"] .told')).to_contain_text("max |Δ|")
    sections = [page.locator(place) for place in ("#contrasts", "#differences")]
    tops = [section.evaluate("it => it.getBoundingClientRect().top") for section in sections]
    assert tops == sorted(tops)


def test_two_equal_questions_stay_equal_when_the_page_is_loaded_again(
    compare: Callable[..., Page], live_server: str
) -> None:
    page = compare("/compare")
    right = page.get_by_role("region", name="B", exact=True)
    text = page.get_by_role("textbox", name="Sentence").first.input_value()
    right.get_by_role("textbox", name="Sentence").fill(text)
    expect(page).to_have_url(f"{live_server}/compare?align=position")
    expect(page.locator("#trio")).to_contain_text("A and B ask the same")
    page.reload()
    expect(page.locator("#trio")).to_contain_text("A and B ask the same")
    page.go_back()
    expect(page).to_have_url(re.compile(r"\?b\.text="))
    expect(page.locator('[data-stage="weights"] .told')).to_contain_text("max |Δ|")


def test_each_side_is_edited_alone_and_the_address_keeps_both(compare: Callable[..., Page]) -> None:
    page = compare("/compare?align=position")
    expect(page.locator("#trio")).to_contain_text("A and B ask the same")
    right = page.get_by_role("region", name="B", exact=True)
    right.get_by_role("textbox", name="Sentence").fill("the animal was tired")
    right.locator('[data-field="temperature"] input[type=number]').fill("2")
    expect(page).to_have_url(re.compile(r"\?b\.text=the%20animal%20was%20tired&b\.temperature=2$"))
    page.get_by_role("button", name="Swap A and B").click()
    expect(page).to_have_url(re.compile(r"\?a\.text=the%20animal%20was%20tired&a\.temperature=2$"))
    page.reload()
    left = page.get_by_role("region", name="A", exact=True)
    expect(left.get_by_role("textbox", name="Sentence")).to_have_value("the animal was tired")
    page.go_back()
    expect(right.get_by_role("textbox", name="Sentence")).to_have_value("the animal was tired")


def test_formulas_that_differ_are_told_of_each_side(compare: Callable[..., Page]) -> None:
    page = compare("/compare?a.text=a%20b&b.text=a%20b&b.positions=rotary")
    told = {
        stage: page.locator(f'[data-stage="{stage}"] > header .formula')
        for stage in ("x", "q", "v")
    }
    expect(told["x"]).to_have_text("A X=E+PB X=E")
    expect(told["q"]).to_contain_text("B Q=R(")
    expect(told["v"]).to_have_text("V=XWV")


def test_a_press_changes_b_where_both_ask_the_same(compare: Callable[..., Page]) -> None:
    page = compare("/compare?align=position")
    page.get_by_role("button", name="no mask").click()
    expect(page).to_have_url(re.compile(r"\?b\.causal=false$"))
    expect(page.locator('[data-stage="scores"] .told')).to_have_text("no difference")
    expect(page.locator('[data-stage="masked_scores"] .told')).to_contain_text(
        "66 cells are masked in one of the two alone"
    )


def test_tokens_without_a_counterpart_are_hatched(compare: Callable[..., Page]) -> None:
    sentences = f"a.text={quote('a cat sat')}&b.text={quote('a black cat sat')}"
    page = compare(f"/compare?{sentences}")
    grid = figure(page, "q", "difference").get_by_role("grid")
    labels = figure(page, "q", "difference").locator(".labels .row")
    expect(labels).to_have_text(["a", "cat/black", "sat/cat", "sat"])
    page.get_by_label("Tokens aligned by").select_option("edit distance")
    expect(labels).to_have_text(["a", "black", "cat", "sat"])
    grid.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#trio dd")).to_have_text(["–", re.compile("[0-9]"), "–"])
    page.keyboard.press("ArrowDown")
    expect(page.locator("#trio dd")).to_have_text([re.compile("[0-9]")] * 3)


@pytest.mark.parametrize(("mlp", "count"), [("", 0), ("&b.mlp=true", 1)])
def test_block_outputs_are_compared_where_an_mlp_makes_one(
    compare: Callable[..., Page], mlp: str, count: int
) -> None:
    page = compare(ADDRESS + mlp)
    expect(page.locator("[data-stage=output]:visible")).to_have_count(1)
    expect(page.locator("[data-stage=block_output]:visible")).to_have_count(count)


def test_the_selection_stays_inside_both(compare: Callable[..., Page]) -> None:
    page = compare(f"{ADDRESS}&b.num_heads=2&head=3")
    expect(page.locator("#both").get_by_label(re.compile("^Head"))).to_have_value("1")
    for of in ("a", "b", "difference"):
        expect(figure(page, "weights", of).locator("canvas")).to_have_attribute("data-head", "1")
    expect(figure(page, "q", "a").locator(".shape")).to_contain_text("d_k 16")
    expect(figure(page, "q", "b").locator(".shape")).to_contain_text("d_k 32")


def test_matrices_of_each_side_come_through_the_address(compare: Callable[..., Page]) -> None:
    x = '{"a.x":[[1,0],[0,1]],"b.x":[[1,0],[0,2]],"b.w_q":[[1,0],[0,1]],"b.w_k":[[1,0],[0,1]],'
    w = '"b.w_v":[[1,0],[0,1]],"a.w_q":[[1,0],[0,1]],"a.w_k":[[1,0],[0,1]],"a.w_v":[[1,0],[0,1]]}'
    page = compare(f"/compare?a.source=explicit&b.source=explicit#{quote(x + w)}")
    expect(page.locator('[data-stage="scores"] .told')).to_contain_text("max |Δ| 3.000 at 1 → 1")
    page.get_by_role("link", name="explain").first.wait_for(state="detached")
    page.locator("#differences").get_by_role("button", name="1 → 1").first.click()
    page.get_by_role("link", name="explain in B").click()
    expect(page.locator("#inspector output")).to_have_text("4.000")


@pytest.mark.parametrize("width", [390, 1024])
def test_nothing_is_wider_than_the_window(compare: Callable[..., Page], width: int) -> None:
    page = compare(ADDRESS, viewport={"width": width, "height": 844})
    fits(page, width)


def test_two_uploads_stand_side_by_side_without_sharing_an_id(
    compare: Callable[..., Page],
) -> None:
    page = compare()
    for side in ("A", "B"):
        options = page.get_by_role("region", name=side, exact=True)
        options.get_by_role("combobox", name="Model").select_option("uploaded")
        expect(options.get_by_text("Choose a file…")).to_be_visible()
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert sorted(ids) == sorted(set(ids))


def test_a_stage_is_seen_large_in_each_of_the_three_and_as_a_table(
    compare: Callable[..., Page], live_server: str
) -> None:
    page = compare()
    door = figure(page, "weights", "difference").get_by_role("button", name="Enlarge weights")
    door.click()
    large = page.get_by_role("dialog", name="weights: Δ = B − A")
    expect(large.get_by_role("grid")).to_be_focused()
    large.get_by_label("show as table").check()
    a, b = (cells(page, live_server, body, "weights") for body in (A, B))
    table = large.get_by_role("table")
    by = f"{b[2, 0] - a[2, 0]:+.3f}".replace("-", "−")
    expect(table.get_by_role("row").nth(3)).to_contain_text(f"sat{by}")
    expect(table.get_by_role("row").nth(1)).to_have_text("a0.000––")
    large.get_by_role("button", name="B", exact=True).click()
    expect(page).to_have_url(re.compile(r"&stage=weights&table=true&of=b$"))
    seen = page.get_by_role("dialog", name="weights: B")
    expect(seen.get_by_role("button", name="B", exact=True)).to_be_focused()
    expect(seen.get_by_role("row").nth(3)).to_contain_text(f"sat{b[2, 0]:.3f}")
    page.reload()
    expect(seen.get_by_role("row").nth(3)).to_contain_text(f"sat{b[2, 0]:.3f}")
    page.keyboard.press("Escape")
    expect(seen).to_be_hidden()
    expect(page).to_have_url(re.compile(r"&of=b$"))


def test_a_pinned_cell_tells_both_numbers_and_what_differs_most_upstream(
    compare: Callable[..., Page], live_server: str
) -> None:
    page = compare(f"{ADDRESS}&cell=weights.2.1&precision=6")
    inspector = page.get_by_role("complementary", name="Inspector")
    a, b = (cells(page, live_server, body, "weights")[2, 1] for body in (A, B))
    by = f"{b - a:+.6f}".replace("-", "−")
    expect(inspector.locator("output")).to_have_text([f"{a:.6f}", f"{b:.6f}", by])
    q = [cells(page, live_server, body, "q")[2] for body in (A, B)]
    at = int(np.argmax(np.abs(q[1] - q[0])))
    row = inspector.get_by_role("row", name=re.compile("^q sat"))
    largest = f"{q[1][at] - q[0][at]:+.6f}".replace("-", "−")
    expect(row.get_by_role("cell").last).to_have_text(largest)
    scores = [cells(page, live_server, body, "masked_scores")[2] for body in (A, B)]
    most = ["a", "cat", "sat"][int(np.nanargmax(np.abs(scores[1] - scores[0])))]
    first = inspector.get_by_role("row").nth(1)
    expect(first).to_have_accessible_name(re.compile(f"^masked scores sat → {most} "))
    row.get_by_role("button").click()
    expect(page).to_have_url(re.compile(rf"&cell=q\.2\.{at}&"))
    expect(inspector.locator("output").last).to_have_text(largest)
    inspector.get_by_role("button", name="Let go of the cell").click()
    inspector.get_by_role("button", name=re.compile("^x, ")).click()
    inspector.get_by_role("link", name="explain in A").click()
    expect(page.locator("#inspector output").first).to_be_visible()


def test_over_a_pinned_cell_the_first_stage_that_differs_is_still_to_be_pressed(
    compare: Callable[..., Page],
) -> None:
    page = compare(f"{ADDRESS}&cell=weights.2.1")
    inspector = page.get_by_role("complementary", name="Inspector")
    line = inspector.locator("p", has_text="The first stage that differs: x, ")
    heading = inspector.get_by_role("heading", name="weights")
    assert box(line)["y"] < box(heading)["y"]
    for _ in range(2):  # a press on what is pinned already leaves it pinned
        line.get_by_role("button").click()
        expect(inspector.get_by_role("heading", name=re.compile("^x"))).to_be_visible()
    expect(page).to_have_url(re.compile(r"&cell=x\.[0-9]+\.[0-9]+"))


def test_what_has_no_counterpart_is_said_on_its_side(compare: Callable[..., Page]) -> None:
    a = f"a.text={quote('a cat sat')}"
    b = f"b.text={quote('a black cat sat')}&b.num_heads=2&b.nonsense=1"
    page = compare(f"/compare?{a}&{b}&align=edit&cell=weights.3.1")
    left, right = (page.get_by_role("region", name=name, exact=True) for name in "AB")
    expect(left.get_by_text("Without a counterpart in B: head 2–3.")).to_be_visible()
    expect(right.locator(".alone")).to_contain_text("d_k 16–31 · d_v 16–31 · tokens")
    expect(right.locator(".alone")).to_contain_text("black")
    expect(right.get_by_text("Left out, because it means nothing here: nonsense=1")).to_be_visible()
    expect(page).not_to_have_url(re.compile("nonsense"))
    numbers = page.get_by_role("complementary", name="Inspector").locator("output")
    expect(numbers).to_have_text(["–", re.compile("[0-9]"), "–"])


def test_a_server_that_is_gone_is_asked_again_for_both_sides(compare: Callable[..., Page]) -> None:
    page = compare()
    page.route("**/api/v1/attention", lambda route: route.abort())
    right = page.get_by_role("region", name="B", exact=True)
    right.get_by_role("textbox", name="Sentence").fill("a cat slept")
    expect(right.get_by_text("The server does not answer.")).to_be_visible()
    expect(right.get_by_role("textbox", name="Sentence")).to_have_value("a cat slept")
    page.unroute("**/api/v1/attention")
    expect(figure(page, "weights", "b").locator(".labels .row").last).to_have_text("slept")
    expect(right.get_by_text("The server does not answer.")).to_be_hidden()


def test_questions_too_long_for_an_address_are_compared_by_their_traces(
    compare: Callable[..., Page], live_server: str
) -> None:
    page = compare()
    wide = np.random.default_rng(0).normal(size=(48, 48)).tolist()
    model = {"source": "explicit", "num_heads": 2, "w_q": wide, "w_k": wide, "w_v": wide}
    body = {"text": "a cat sat", "model": model}
    url = f"{live_server}/api/v1"
    trace = page.request.post(f"{url}/traces", data=body).json()["trace"]
    page.goto(f"{live_server}/?t={trace}")
    page.get_by_role("button", name="Compare with").click()
    expect(page).to_have_url(f"{live_server}/compare?a.t={trace}&b.t={trace}")
    told = page.locator('[data-stage="weights"] .told')
    expect(told).to_have_text("no difference")

    temperature = page.locator("#b").get_by_label(re.compile("^Temperature")).last
    temperature.fill("2")
    other = page.request.post(f"{url}/traces", data={**body, "temperature": 2}).json()["trace"]
    expect(page).to_have_url(f"{live_server}/compare?a.t={trace}&b.t={other}")
    expect(told).not_to_have_text("no difference")
    drawn = figure(page, "weights", "difference").locator("canvas[data-layer]")
    seen = told.text_content()
    page.reload()
    drawn.wait_for()
    expect(told).to_have_text(seen or "")
    page.go_back()
    expect(told).to_have_text("no difference")
