"""The laboratory: what a scale does to the softmax, and what rounding does to every stage."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Route, expect

from tests.browser.hands import Explore, address_has, address_lacks, box, fits, until, written

MEASURES = ("variance", "entropy", "largest", "jacobian")
HIGH = 104  # pixels of a chart between its ends


def panel(explore: Explore) -> Locator:
    return explore.page.locator("#panel-lab")


def open_lab(explore: Explore, more: str = "") -> None:
    explore.page.goto(f"{explore.url}/?tab=lab{more}", wait_until="commit")
    panel(explore).locator("svg, tbody").locator("visible=true").first.wait_for()


def random_figures(explore: Explore, d_k: int, n: int = 12) -> dict[bool, dict[str, float]]:
    """Scaled and not."""
    reply = explore.page.request.get(f"{explore.url}/api/v1/laboratory/scaling?n={n}").json()
    widths = [one for one in reply["widths"] if one["d_k"] == d_k]
    return {one["scaled"]: one["figures"] for one in widths}


def board(explore: Explore, name: str) -> Locator:
    return panel(explore).locator("section").filter(has=explore.page.get_by_label(name, exact=True))


def values(board: Locator, measure: str) -> Locator:
    return board.locator(f"[data-measure={measure}] .values b")


def dot(board: Locator, measure: str, line: str) -> float:
    """How high the point stands that is told, as a part of its axis."""
    place = board.locator(f"[data-measure={measure}] circle.{line}").get_attribute("cy")
    return 1 - (float(place or "nan") - 16) / HIGH


def test_random_scores_are_told_with_and_without_the_scale(explore: Explore) -> None:
    explore.page.get_by_role("tab", name="Laboratory").click()
    random = board(explore, "d_k")
    for d_k in (16, 1024):
        figures = random_figures(explore, d_k)
        for measure in MEASURES:
            wanted = [written(figures[scaled][measure]) for scaled in (False, True)]
            expect(values(random, measure)).to_have_text(wanted)
        assert dot(random, "largest", "with") == pytest.approx(figures[True]["largest"], abs=1e-6)
        random.get_by_label("d_k", exact=True).press("End")
    passed = 100 * figures[False]["jacobian"] / figures[True]["jacobian"]
    expect(random.locator(".effect")).to_contain_text(f"passes on {passed:.1f} % of the gradient")
    address_has(explore.page, "width=1024")


def test_the_heads_own_scale_goes_up_and_down_and_the_present_one_is_marked(
    explore: Explore,
) -> None:
    open_lab(explore, "&head=2")
    own = board(explore, "scale")
    factors = {one["factor"]: one for one in explore.told("scaling", head=2)["factors"]}
    expect(own.get_by_role("heading")).to_have_text("Layer 0, head 2: its own scores")
    expect(own.locator("[data-measure=entropy] text.now")).to_have_text("now")
    slider = own.get_by_label("scale", exact=True)
    for key, factor in (("", 1), ("End", 64), ("Home", 1 / 64)):
        slider.press(key or "Shift")
        for measure in MEASURES:
            shown = written(factors[factor]["figures"][measure])
            if measure != "variance":
                expect(values(own, measure)).to_have_text(shown)
        assert dot(own, "largest", "own") == pytest.approx(
            factors[factor]["figures"]["largest"], abs=1e-6
        )
    expect(slider).to_have_attribute("aria-valuetext", "× 1/64")
    address_has(explore.page, "factor=0.015625")


def test_what_takes_the_scale_away_is_marked_where_there_is_one(explore: Explore) -> None:
    open_lab(explore)
    marks = board(explore, "scale").locator("[data-measure=largest] line.mark.without")
    expect(marks).to_have_count(1)
    explore.field("Scale").first.select_option("none")
    expect(marks).to_have_count(0)


def test_the_row_is_drawn_as_it_would_be_at_the_scale_that_is_seen(explore: Explore) -> None:
    open_lab(explore, "&factor=8&cell=weights.9.0")
    row = panel(explore).locator(".row-weights")
    expect(row.get_by_role("heading")).to_have_text("Where “too” looks, scale × 8")
    body = {**explore.question(), "scale": 8 / 4, "stages": ["weights"]}
    weights = explore.answer(body)["layers"][0]["weights"][0][0][9][:10]
    large = [at for at, weight in enumerate(weights) if weight > 0.0005]
    assert large
    for at in large:
        expect(row.locator(".number").nth(at)).to_have_text(written(weights[at]))
    widths = row.locator(".share").evaluate_all("all => all.map((e) => parseFloat(e.style.width))")
    np.testing.assert_allclose(widths, 100 * np.array(weights), atol=1e-3)


def test_a_chart_that_is_pointed_at_is_read_and_let_go_again(explore: Explore) -> None:
    open_lab(explore)
    random = board(explore, "d_k")
    plot = random.locator("[data-measure=entropy] .plot-of")
    place = box(plot)
    explore.page.mouse.move(place["x"] + place["width"] - 20, place["y"] + 60)
    figures = random_figures(explore, 1024)
    for measure in MEASURES:
        expect(values(random, measure).first).to_have_text(written(figures[False][measure]))
    explore.page.mouse.move(0, 0)
    usual = random_figures(explore, 16)
    expect(values(random, "entropy").last).to_have_text(written(usual[True]["entropy"]))
    address_lacks(explore.page, "width")


def test_figures_come_as_a_table_too(explore: Explore) -> None:
    open_lab(explore)
    panel(explore).get_by_label("show as table").check()
    random, own = board(explore, "d_k"), board(explore, "scale")
    figures = random_figures(explore, 256)
    row = random.get_by_role("row").filter(
        has=explore.page.get_by_role("rowheader", name="256", exact=True)
    )
    wanted = [written(figures[s][measure]) for measure in MEASURES for s in (False, True)]
    expect(row.get_by_role("cell")).to_have_text(wanted)
    expect(own.get_by_role("rowheader")).to_have_count(13)
    expect(panel(explore).locator("svg").locator("visible=true")).to_have_count(0)
    explore.page.reload(wait_until="commit")
    expect(random.get_by_role("table")).to_be_visible()


def test_layers_heads_and_sentences_have_figures_of_their_own(explore: Explore) -> None:
    open_lab(explore, "&num_layers=2&layer=1&batch=1&text=a%20b%20c%0Athe%20cat%20sat%20down")
    figures = explore.told("scaling", layer=1, batch=1)["factors"]
    present = next(one["figures"] for one in figures if one["factor"] == 1)
    expect(values(board(explore, "scale"), "entropy")).to_have_text(written(present["entropy"]))
    panel(explore).get_by_role("group").get_by_label("layer").select_option("0")
    figures = explore.told("scaling", layer=0, batch=1)["factors"]
    present = next(one["figures"] for one in figures if one["factor"] == 1)
    expect(values(board(explore, "scale"), "entropy")).to_have_text(written(present["entropy"]))


def precision_cell(explore: Explore, stage: str, dtype: int) -> Locator:
    name = explore.page.get_by_role("rowheader", name=stage, exact=True)
    table = panel(explore).locator(".rounding section").last
    return table.get_by_role("row").filter(has=name).get_by_role("cell").nth(dtype)


def scientific(value: float) -> str:
    mantissa, power = f"{value:.1e}".split("e")
    digits = str(abs(int(power))).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa}×10⁻{digits}"


def test_every_precision_tells_how_far_every_stage_is_from_float64(explore: Explore) -> None:
    open_lab(explore)
    panel(explore).get_by_role("button", name="Precision").click()
    reply = explore.told("precision", row=11)
    for at, one in enumerate(reply["dtypes"]):
        for told_of in one["stages"]:
            stage = told_of["stage"].replace("_", " ")
            cell = precision_cell(explore, stage, at)
            error = told_of["largest"]
            if error == 0:
                expect(cell).to_have_text("0")
            elif error < 0.05:
                expect(cell).to_have_text(scientific(error))
                width = cell.locator(".reach i").evaluate("(e) => parseFloat(e.style.width)")
                assert width == pytest.approx(100 * (np.log10(error) + 18) / 18, abs=1e-3)
    address_has(explore.page, "lab=precision")


def test_one_press_makes_the_naive_softmax_overflow_and_another_takes_it_back(
    explore: Explore,
) -> None:
    open_lab(explore, "&lab=precision&rounding=float32&cell=weights.9.0")
    table = panel(explore).locator(".softmaxes")
    expect(table.get_by_role("heading")).to_have_text("Softmax of “too” in float32")
    expect(table.locator("td.bad")).to_have_count(0)
    table.get_by_role("button", name="Make it overflow").click()
    expect(table.locator("td.bad").first).to_have_text("∞")
    until(explore.page, lambda: explore.question()["scale"] != "sqrt_d_k", "another scale")
    reply = explore.told("precision", row=9)["dtypes"]
    for one in reply:
        table.get_by_label("dtype").select_option(one["dtype"])
        naive, stable = one["softmax"]["naive"], one["softmax"]["stable"]
        for col in range(10):
            cells = table.locator("tbody tr").nth(col).locator("td")
            for at, sign, part in ((1, "∞", "exponentials"), (2, "NaN", "weights")):
                told, lost = expect(cells.nth(at)), naive[part][col] is None
                (told.to_have_text if lost else told.not_to_have_text)(sign)
            assert stable["weights"][col] is not None
        assert None in naive["weights"]
    cell = precision_cell(explore, "naive softmax", 0)
    expect(cell).to_have_class("bad")
    expect(cell).to_contain_text("infinite")
    table.get_by_role("button", name="Back to the scale before").click()
    expect(table.locator("td.bad")).to_have_count(0)
    address_lacks(explore.page, "scale=")


def test_masked_keys_have_no_share(explore: Explore) -> None:
    open_lab(explore, "&lab=precision&cell=weights.1.0")
    rows = panel(explore).locator(".softmaxes tbody tr")
    expect(rows.nth(2).locator("td")).to_have_text(["−∞", "0.000", "0.000", "0.000", "0.000"])
    expect(rows.nth(2)).to_have_class("shut")
    expect(rows.nth(1)).not_to_have_class("shut")


def test_another_query_is_chosen_among_the_controls(explore: Explore) -> None:
    open_lab(explore, "&lab=precision")
    panel(explore).get_by_role("group").get_by_label("query").select_option("street")
    expect(panel(explore).locator(".softmaxes h3")).to_contain_text("“street”")
    expect(explore.inspector.locator("output")).to_be_visible()
    address_has(explore.page, "cell=weights.5.0")


def test_a_long_row_shows_its_largest_keys(explore: Explore) -> None:
    words = "%20".join(f"w{index}" for index in range(40))
    open_lab(explore, f"&text={words}")
    expect(panel(explore).locator(".row-weights li")).to_have_count(16)
    expect(panel(explore).locator(".row-weights")).to_contain_text("The 16 largest of 40.")
    panel(explore).get_by_role("button", name="Precision").click()
    expect(panel(explore).locator(".softmaxes tbody tr")).to_have_count(16)


def test_a_context_is_measured_with_its_own_keys(explore: Explore) -> None:
    open_lab(explore, "&text=the%20cat%20sat&context=die%20Katze")
    expect(panel(explore).locator(".row-weights li")).to_have_count(2)
    figures = random_figures(explore, 16, n=2)
    shown = values(board(explore, "d_k"), "entropy").last
    expect(shown).to_have_text(written(figures[True]["entropy"]))


def test_a_refusal_is_told_in_words_of_the_page(window: Explore) -> None:
    problem = {"title": "Too large", "detail": "They would take 9,000 MB.", "code": "too_large"}

    def refuse(route: Route) -> None:
        route.fulfill(status=413, content_type="application/problem+json", body=json.dumps(problem))

    window.page.route(re.compile("/precision\\?"), refuse)
    window.page.goto(f"{window.url}/?tab=lab&lab=precision", wait_until="commit")
    expect(panel(window).locator(".error:visible")).to_contain_text(
        "more than can be computed at once"
    )


@pytest.mark.parametrize("part", ["scaling", "precision"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_it_fits_a_phone_in_both_languages(
    elsewhere: Callable[..., Explore], lang: str, part: str
) -> None:
    phone = elsewhere(None, viewport={"width": 390, "height": 844})
    open_lab(phone, f"&lab={part}&lang={lang}")
    fits(phone.page, 390)
    assert (panel(phone).text_content() or "").count("lab.") == 0


def test_nothing_is_asked_before_the_tab_is_opened(explore: Explore) -> None:
    asked = [request.url for request in explore.watch.requests]
    assert not [url for url in asked if re.search("/laboratory|/scaling|/lab\\.js", url)]


def test_chapters_hold_the_laboratory(window: Explore) -> None:
    window.page.goto(f"{window.url}/learn/scaling")
    figure = window.page.locator("[data-figure=laboratory]")
    figure.scroll_into_view_if_needed()
    expect(figure.locator("[data-measure=variance] .values").first).to_contain_text("without")
    figure.get_by_label("d_k", exact=True).last.press("Home")
    expect(figure.locator("output").first).to_have_text("1")
    window.page.goto(f"{window.url}/learn/softmax")
    figure = window.page.locator("[data-figure=overflow]")
    figure.scroll_into_view_if_needed()
    expect(figure.locator(".softmaxes td.bad")).to_have_count(6)
    figure.get_by_label("dtype").select_option("float64")
    expect(figure.locator(".softmaxes td.bad")).to_have_count(0)


def test_costs_are_those_of_the_sizes_that_the_sliders_say(explore: Explore) -> None:
    open_lab(explore, "&lab=costs")
    table = panel(explore).locator("table").first
    scores = table.get_by_role("row", name="scores").first.locator("td").first
    shape = explore.answer(explore.question())["shape"]
    expect(scores).to_have_text(f"{shape['n'] ** 2 * shape['d_model']:,}")
    panel(explore).get_by_label("tokens", exact=True).press("End")
    address_has(explore.page, "sizes=131072.64.4.4")
    expect(scores).to_have_text("1.10×10¹²")
    panel(explore).get_by_label("heads", exact=True).press("Home")
    address_has(explore.page, "sizes=131072.64.1.1")  # one head has one key/value head


def test_linear_attention_is_drawn_beside_the_softmax_of_the_same_head(explore: Explore) -> None:
    explore.page.goto(f"{explore.url}/?tab=lab&lab=linear&head=1", wait_until="commit")
    shown = panel(explore).locator(".effect").locator("visible=true").first
    told = explore.page.request.get
    expect(shown).to_contain_text("Weights differ by")
    trace = explore.answer(explore.question())["trace"]
    linear = told(f"{explore.url}/api/v1/traces/{trace}/linear?head=1").json()
    expect(shown).to_contain_text(f"differ by {linear['weights_difference']:.2f} at most")
    plots = panel(explore).get_by_role("grid").locator("visible=true")
    expect(plots).to_have_count(2)
    expect(plots.last).to_have_attribute(
        "aria-label", re.compile("linear attention, layer 0, head 1")
    )
