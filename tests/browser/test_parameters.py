"""Weights: the parameters as pictures, singular values, where the tokens go, and variances."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, address_has, box, until, written
from tests.browser.pixels import alike, centres, painted

ROUNDING = "×10⁻¹[³⁴⁵⁶⁷]$|^0$"


def panel(explore: Explore) -> Locator:
    return explore.page.locator("#panel-parameters")


def open_weights(explore: Explore, more: str = "") -> None:
    explore.page.goto(f"{explore.url}/?tab=parameters{more}", wait_until="commit")
    panel(explore).locator("[data-tensor] canvas[data-layer]").first.wait_for()
    panel(explore).get_by_role("heading", name=re.compile("^Singular values")).wait_for()


def facts(table: Locator) -> dict[str, list[str]]:
    """A table of facts: what its rows are called, and their cells."""
    found = {}
    for row in table.locator("tbody tr").all():
        cells = row.locator("td").all_text_contents()
        found[row.locator("th").text_content() or ""] = cells
    return found


def test_the_tab_opens_by_hand_and_by_address(explore: Explore) -> None:
    explore.page.get_by_role("tab", name="Parameters").click()
    panel(explore).locator("[data-tensor]").first.wait_for()
    address_has(explore.page, "tab=parameters")
    expect(panel(explore).locator("[data-tensor]")).to_have_count(4)


def test_the_numbers_of_the_norms_and_of_the_mlp_are_counted_too(explore: Explore) -> None:
    open_weights(explore, "&block=pre_norm&mlp=true&bias=true")
    body = {**explore.question(), "stages": [], "layers": [0], "parameters": True}
    reply = explore.page.request.post(f"{explore.url}/api/v1/attention", data=body).json()
    tensors = {name: np.array(one) for name, one in reply["layers"][0]["parameters"].items()}
    assert {"norm_gain", "w_in", "b_out"} < set(tensors)
    expect(panel(explore).locator("[data-tensor]")).to_have_count(len(tensors))
    total = sum(one.size for one in tensors.values())
    expect(panel(explore).get_by_text(f"{total:,} numbers")).to_be_visible()


def test_an_old_address_of_the_tab_still_means_it(explore: Explore) -> None:
    explore.page.goto(f"{explore.url}/?tab=weights&matrix=w_k", wait_until="commit")
    chosen = panel(explore).locator('[data-tensor="w_k"][data-chosen]')
    expect(chosen).to_be_visible()
    expect(explore.page.get_by_role("tab", name="Parameters")).to_have_attribute(
        "aria-selected", "true"
    )
    panel(explore).locator(".matrices button").first.click()
    address_has(explore.page, "tab=parameters")


@pytest.mark.parametrize("tensor", ["w_q", "w_o", "b_k"])
def test_a_tensor_is_drawn_with_its_numbers(explore: Explore, tensor: str) -> None:
    open_weights(explore, "&bias=true&d_model=16")
    body = {**explore.question(), "parameters": True}
    wanted = np.atleast_2d(explore.answer(body)["layers"][0]["parameters"][tensor])
    size = float(np.abs(wanted).max())
    colours = painted(wanted, explore.colours("diverging"), -size, size)
    picture = panel(explore).locator(f"[data-tensor={tensor}] canvas[data-layer]")
    until(
        explore.page,
        lambda: alike(centres(picture, *wanted.shape), colours),
        f"the numbers of {tensor}",
    )


def test_the_selected_heads_part_has_a_frame(explore: Explore) -> None:
    open_weights(explore, "&head=2&num_kv_heads=2")

    def part(tensor: str) -> tuple[float, ...]:
        figure = panel(explore).locator(f"[data-tensor={tensor}]")
        frame, plot = (box(figure.locator(one)) for one in (".own-part", ".plot"))
        return tuple(
            round((frame[at] - (plot[at] if at in "xy" else 0)) / plot[size], 2)
            for at, size in (("x", "width"), ("y", "height"), ("width", "width"))
        )

    assert part("w_q") == pytest.approx((0.5, 0, 0.25), abs=0.02)
    assert part("w_k") == pytest.approx((0.5, 0, 0.5), abs=0.02)
    assert part("w_o") == pytest.approx((0, 0.5, 1), abs=0.02)


@pytest.mark.parametrize("matrix", ["w_q", "w_qk", "w_vo"])
def test_singular_values_stand_as_bars_and_as_a_table(explore: Explore, matrix: str) -> None:
    open_weights(explore, f"&matrix={matrix}&head=1")
    (head,) = explore.told("spectrum", head=1)["heads"]
    values = head["matrices"][matrix]["singular_values"]
    card = panel(explore).locator(".card", has_text=re.compile("^Singular values"))
    bars = card.locator("rect")
    expect(bars).to_have_count(len(values))
    heights = bars.evaluate_all("(all) => all.map((bar) => Number(bar.getAttribute('height')))")
    expected = np.array(values) / values[0] * heights[0]
    assert heights == pytest.approx(expected.tolist(), abs=1.0)
    explore.page.get_by_label("as tables").check()
    cells = [written(value, 6) if value else "0.000000" for value in values]
    expect(card.locator(".sheet td")).to_have_text(cells)
    address_has(explore.page, "table=true")


def test_rank_condition_and_determinant_are_told(explore: Explore) -> None:
    open_weights(explore, "&num_heads=1&d_model=8")
    reply = explore.told("spectrum", head=0)
    table = facts(panel(explore).locator(".facts").first)
    whole = reply["tensors"]["w_q"]
    assert table["rank"] == ["8", "8"]
    assert table["condition number"] == [written(whole["condition_number"], 2)] * 2
    assert table["determinant"][0] == written(whole["determinant"], 3)
    panel(explore).get_by_role("button", name="WQ WKᵀ").click()
    heading = panel(explore).get_by_role("heading", name=re.compile("^Singular values"))
    expect(heading).to_have_text("Singular values of WQ WKᵀ, head 0")
    address_has(explore.page, "matrix=w_qk")


def test_tokens_lie_where_the_directions_send_them(explore: Explore) -> None:
    open_weights(explore, "&matrix=w_k&head=3&text=one%20two%20three")
    flat = explore.told("spectrum", head=3)["heads"][0]["geometry"]["w_k"]
    planes = panel(explore).locator(".planes:not(.more) svg")
    expect(planes).to_have_count(2)
    before, after = planes.first, planes.last
    edge = max(
        abs(v) for side in ("tokens_left", "tokens_right") for row in flat[side] for v in row
    )
    for svg, tokens in ((before, flat["tokens_left"]), (after, flat["tokens_right"])):
        expect(svg.locator(".token-dot")).to_have_count(len(tokens))
        for dot, (x, y) in zip(svg.locator(".token-dot").all(), tokens, strict=True):
            place = re.findall(r"[\d.]+", dot.get_attribute("transform") or "")
            assert [float(each) for each in place] == pytest.approx(
                [100 + 80 * x / edge, 100 - 80 * y / edge], abs=0.1
            )
    names = before.locator(".axis-name").all_text_contents()
    assert names == ["→ x · u₁", "↑ x · u₂"]
    sigma = flat["singular_values"][0]
    expect(after.locator(".axis-name").first).to_have_text(
        re.compile(rf"σ₁ = {sigma:.2f}".rstrip("0"))
    )


def test_what_a_head_does_not_see_of_the_tokens_is_drawn(explore: Explore) -> None:
    open_weights(explore, "&text=one%20two%20three")
    reply = explore.told("spectrum", head=0)
    lost = reply["heads"][0]["geometry"]["w_q"]["unseen"]
    more = panel(explore).locator(".planes.more")
    expect(more.locator("svg")).to_have_count(2)
    expect(more.locator(".token-dot")).to_have_count(6)
    parts = reply["principal"]["shares"]
    shares = [f"{100 * part:.{0 if part >= 0.0995 else 1}f}\u202f%" for part in parts]
    names = more.locator("svg").last.locator(".axis-name").all_text_contents()
    assert names == [f"→ p₁, {shares[0]}", f"↑ p₂, {shares[1]}"]
    expect(panel(explore)).to_contain_text(f"does not read {lost['dimensions']} directions")
    panel(explore).get_by_role("button", name="WO", exact=True).first.click()
    expect(more).to_be_hidden()
    heading = panel(explore).get_by_role("heading", name=re.compile("^Where"))
    expect(heading).to_have_text("Where WO sends the tokens")
    expect(panel(explore).locator(".planes .axis-name").first).to_have_text("→ h · u₁")


def test_a_token_is_followed_by_the_pointer_and_by_keys(explore: Explore) -> None:
    open_weights(explore, "&text=one%20two%20three")
    flat = explore.told("spectrum", head=0)["heads"][0]["geometry"]["w_q"]
    before = panel(explore).locator(".planes svg").first
    reading = panel(explore).locator(".reading")
    expect(reading).to_contain_text("σ₁ = ")
    before.locator(".token-dot").nth(1).locator(".target").hover(force=True)
    places = [
        "(" + ", ".join(written(v, 2) for v in flat[side][1]) + ")"
        for side in ("tokens_left", "tokens_right")
    ]
    expect(reading).to_have_text(f"two: {places[0]} → {places[1]}")
    expect(panel(explore).locator(".planes:not(.more) .token-dot.met")).to_have_count(2)
    expect(panel(explore).locator(".planes.more .token-dot.met")).to_have_count(2)
    explore.page.mouse.move(0, 0)
    before.focus()
    for _ in range(3):
        explore.page.keyboard.press("ArrowRight")
    expect(reading).to_contain_text("three: ")


def test_the_identities_are_told_with_their_errors(explore: Explore) -> None:
    open_weights(explore, "&share=qk&bias=true")
    table = facts(panel(explore).locator(".columns > .card").nth(2).locator("table"))
    rows = {name.split("Largest")[0].split("0 where")[0]: cells for name, cells in table.items()}
    assert re.search(ROUNDING, rows["scores = x WQ WKᵀ xᵀ × scale"][0])
    assert re.search(ROUNDING, rows["max |scores − scoresᵀ|"][0])
    assert sum(name.startswith("max |") for name in table) == 5


def test_rotary_positions_have_no_single_form(explore: Explore) -> None:
    open_weights(explore, "&positions=rotary")
    expect(panel(explore)).to_contain_text("with rotary positions it turns with the distance")


def test_variances_and_counts_are_those_of_the_server(explore: Explore) -> None:
    open_weights(explore, "&init=kaiming_normal")
    panel(explore).get_by_role("heading", name=re.compile("^Initialisation")).wait_for()
    reply = explore.told("initialisation")
    tables = panel(explore).locator(".card").last.locator("table")
    schemes = facts(tables.nth(0))
    for scheme in reply["schemes"]:
        first = scheme["tensors"][0]
        predicted, measured = schemes[scheme["init"]][0].split(" · ")
        assert float(predicted) == pytest.approx(first["predicted"], abs=6e-6)
        assert float(measured) == pytest.approx(first["measured"], abs=6e-6)
    expect(tables.nth(0).locator(".own th")).to_have_text("kaiming_normal")
    counts = facts(tables.nth(3))
    assert counts["one wide head"][1] == counts["a key/value head each"][1] == "12,288"
    assert counts["as asked"][2] == counts["as asked"][4] == "0"
    expect(panel(explore)).to_contain_text(f"{counts['as asked'][-1]} numbers")


def test_a_model_without_output_projection_has_no_w_o(explore: Explore) -> None:
    open_weights(explore, "&output_projection=false&matrix=w_vo")
    expect(panel(explore).locator("[data-tensor]")).to_have_count(3)
    expect(panel(explore).get_by_role("button", name="WV WO")).to_be_hidden()
    expect(panel(explore).get_by_role("heading", name=re.compile("^Singular"))).to_contain_text(
        "WQ,"
    )


def test_numbers_beyond_float64_are_explained_and_mended_by_other_ones(explore: Explore) -> None:
    huge = quote(json.dumps({name: [[1e300]] for name in ("w_q", "w_k", "w_v")}))
    page = explore.page
    address = f"{explore.url}/?tab=parameters&source=explicit&text=a%20b#{huge}"
    page.goto(address, wait_until="commit")
    trouble = panel(explore).locator(".error")
    expect(trouble).to_contain_text("beyond the range of float64")
    expect(panel(explore).get_by_role("heading", name=re.compile("^Singular"))).to_be_hidden()
    explore.field("Model").select_option("seeded")
    expect(panel(explore).get_by_role("heading", name=re.compile("^Singular"))).to_be_visible()
    expect(trouble).to_be_empty()


def test_many_tokens_are_points_without_names(explore: Explore) -> None:
    open_weights(explore, "&text=" + "%20".join(f"w{index}" for index in range(70)))
    before = panel(explore).locator(".planes svg").first
    expect(before.locator(".token-dot")).to_have_count(70)
    expect(before.locator(".token-dot text")).to_have_count(0)
    before.focus()
    explore.page.keyboard.press("ArrowRight")
    expect(panel(explore).locator(".reading")).to_contain_text("w0: (")


def test_keys_of_a_context_are_the_contexts_tokens(explore: Explore) -> None:
    open_weights(explore, "&matrix=w_qk&text=a%20b&context=die%20Katze%20da")
    planes = panel(explore).locator(".planes:not(.more) svg")
    expect(planes).to_have_count(2)
    queries, keys = planes.first, planes.last
    expect(queries.locator(".token-dot")).to_have_count(2)
    expect(keys.locator(".token-dot")).to_have_count(3)
    expect(keys.locator("title").nth(1)).to_have_text("Katze")


def test_the_tab_speaks_chinese(elsewhere: Callable[..., Explore]) -> None:
    page = elsewhere("/?lang=zh")
    page.page.goto(f"{page.url}/?tab=parameters&lang=zh", wait_until="commit")
    panel(page).locator(".token-dot").first.wait_for()
    expect(panel(page)).to_contain_text("的奇异值")
    assert "parameters." not in (panel(page).text_content() or "")
