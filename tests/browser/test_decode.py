"""Decode: the cache growing step by step, its bytes, and what shared heads cost."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.hands import Explore, address_has, address_lacks, until, written
from tests.browser.pixels import alike, centres, painted

TEXT = "&text=one%20two%20three%20four%20five%20six"


def panel(explore: Explore) -> Locator:
    return explore.page.locator("#panel-decode")


def open_decode(explore: Explore, more: str = "") -> None:
    explore.page.goto(f"{explore.url}/?tab=decode{more}", wait_until="commit")
    panel(explore).locator(".rows-of canvas").first.wait_for()
    panel(explore).get_by_role("heading", name="Fewer key/value heads").wait_for()


def slider(explore: Explore) -> Locator:
    return panel(explore).get_by_label("Step of decoding")


def shows(explore: Explore, axis: str, rows: int, step: Any, largest: float) -> None:
    """Waits until the cache of an axis shows the rows that are there, and no others."""
    kept = np.array(step["k" if axis == "key" else "v"][0])
    wanted = np.full((rows, kept.shape[1]), np.nan)
    wanted[: len(kept)] = kept
    canvas = panel(explore).locator(f".rows-of.axis-{axis} canvas").last
    colours = painted(wanted, explore.colours("diverging"), -largest, largest)
    until(
        explore.page,
        lambda: alike(centres(canvas, *wanted.shape), colours),
        f"the cached rows of {axis}",
    )


def test_the_cache_grows_with_every_step(explore: Explore) -> None:
    open_decode(explore, f"{TEXT}&head=1")
    reply = explore.told("decode", head=1)
    largest = float(np.abs(reply["steps"][-1]["k"]).max())
    for at in (5, 2, 0):
        slider(explore).fill(str(at))
        shows(explore, "key", 6, reply["steps"][at], largest)
        items = panel(explore).locator(".cache .names li")
        expect(items).to_have_class(["kept"] * at + ["made"] + ["coming"] * (5 - at))
        bars = panel(explore).locator(".cache .read li span")
        expect(bars).to_have_text([written(each) for each in reply["steps"][at]["weights"][0][0]])
        (address_has if at < 5 else address_lacks)(explore.page, "decoded=")


def test_a_prefill_makes_its_rows_at_once(explore: Explore) -> None:
    open_decode(explore, f"{TEXT}&prefill=4&decoded=0")
    expect(panel(explore).locator(".words")).to_have_text(
        "Step 1 of 3: the first 4 tokens at once."
    )
    expect(panel(explore).locator(".names .made")).to_have_count(4)
    panel(explore).get_by_label("Taken at once first").fill("2")
    panel(explore).get_by_label("Taken at once first").blur()
    expect(panel(explore).locator(".words")).to_have_text(
        "Step 5 of 5: “six”. New rows: 1 of q, 1 of k and v. From the cache: 5."
    )
    address_has(explore.page, "prefill=2")


def test_it_plays_from_the_start_to_the_end(explore: Explore) -> None:
    open_decode(explore, "&text=one%20two%20three")
    play = panel(explore).get_by_role("button", name=re.compile("Play"))
    play.click()
    expect(panel(explore).locator(".words")).to_contain_text("Step 1 of 3")
    expect(panel(explore).locator(".words")).to_contain_text("Step 3 of 3")
    expect(play).to_be_visible()


def test_the_slider_is_walked_with_arrows(explore: Explore) -> None:
    open_decode(explore, TEXT)
    slider(explore).focus()
    explore.page.keyboard.press("ArrowLeft")
    expect(panel(explore).locator(".words")).to_contain_text("Step 5 of 6: “five”")
    explore.page.keyboard.press("Home")
    expect(panel(explore).locator(".words")).to_contain_text("Step 1 of 6: “one”")
    expect(slider(explore)).to_have_attribute("aria-valuetext", re.compile("Step 1 of 6"))


def test_cached_is_full_as_a_number(explore: Explore) -> None:
    open_decode(explore, f"{TEXT}&num_layers=2&block=pre_norm&positions=rotary")
    reply = explore.told("decode", head=0)
    assert reply["equal_to_full"] < 1e-12
    shown = panel(explore).locator(".equal b")
    expect(shown).to_have_text(re.compile(r"^\d\.\d\d×10⁻¹[³⁴⁵⁶]$"))


def test_bytes_of_mha_gqa_and_mqa_stand_side_by_side(explore: Explore) -> None:
    open_decode(explore, f"{TEXT}&num_kv_heads=2")
    lines = panel(explore).locator(".costs li")
    expect(lines).to_have_text(["MHA, h_kv = 46 KiB", "GQA, h_kv = 23 KiB", "MQA, h_kv = 11.5 KiB"])
    expect(panel(explore).locator(".costs .own")).to_contain_text("GQA")
    slider(explore).fill("1")
    expect(lines.first).to_contain_text("2 KiB")
    expect(panel(explore).locator("polyline")).to_have_count(3)


def test_what_shared_heads_cost_is_told(explore: Explore) -> None:
    open_decode(explore, TEXT)
    rows = explore.told("sharing")["variants"]
    lines = panel(explore).locator(".stack tbody tr")
    expect(lines).to_have_count(len(rows))
    last = lines.last.locator("td")
    expect(last.nth(0)).to_have_text("2,048")
    expect(last.nth(2)).to_have_text(f"{100 * rows[-1]['relative_error']:.1f} %")


def test_the_cache_can_be_read_as_a_table(explore: Explore) -> None:
    page = explore.page
    page.goto(f"{explore.url}/?tab=decode{TEXT}&decoded=2&table=true", wait_until="commit")
    rows = panel(explore).locator(".card.wide tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("cached")
    expect(rows.nth(2)).to_contain_text("new")


def asked_to_decode(explore: Explore) -> list[str]:
    return [r.url for r in explore.watch.requests if re.search(r"/(decode|sharing)\?", r.url)]


def test_a_question_that_sees_ahead_is_explained_and_mended(explore: Explore) -> None:
    page = explore.page
    page.goto(f"{explore.url}/?tab=decode&causal=false", wait_until="commit")
    trouble = panel(explore).locator(".trouble")
    expect(trouble).to_contain_text("queries see keys to come")
    assert asked_to_decode(explore) == []
    trouble.get_by_role("button").click()
    panel(explore).locator(".rows-of canvas").first.wait_for()
    expect(trouble).to_be_empty()
    address_lacks(page, "causal")


def test_a_context_is_not_decoded_until_it_is_gone(explore: Explore) -> None:
    explore.open(f"/?context=a%20b{TEXT}")
    explore.page.get_by_role("tab", name="Decode").click()
    trouble = panel(explore).locator(".trouble")
    expect(trouble).to_contain_text("another text’s")
    assert asked_to_decode(explore) == []
    trouble.get_by_role("button", name="Take the context away").click()
    expect(panel(explore).locator(".words")).to_contain_text("Step 6 of 6")
    explore.page.go_back()
    expect(trouble).to_contain_text("another text’s")
    expect(panel(explore).locator(".player")).to_be_hidden()
    explore.page.go_forward()
    expect(panel(explore).locator(".words")).to_contain_text("Step 6 of 6")
    expect(trouble).to_be_empty()
    assert explore.watch.refusals == []


def test_what_every_query_sees_is_taken_at_once(explore: Explore) -> None:
    open_decode(explore, f"{TEXT}&prefix=3&decoded=0")
    first = panel(explore).get_by_label("Taken at once first")
    expect(first).to_have_value("3")
    expect(panel(explore)).to_contain_text("The first 3 stay open to every query")
    expect(panel(explore).locator(".words")).to_contain_text("Step 1 of 4: “one two three”")
    open_decode(explore, f"{TEXT}&prefix=99&prefill=1")
    expect(first).to_have_value("6")
    assert explore.watch.refusals == []


def test_long_texts_are_fetched_a_step_at_a_time(explore: Explore) -> None:
    words = "%20".join(f"w{index}" for index in range(300))
    open_decode(explore, f"&prefill=290&text={words}")
    expect(panel(explore).locator(".words")).to_contain_text("Step 11 of 11")
    slider(explore).fill("3")
    expect(panel(explore).locator(".words")).to_contain_text("Step 4 of 11: “w292”")
    asked = [url for url in asked_to_decode(explore) if "/decode?" in url]
    assert "steps=3%3A4" in asked[-1].split("&")


def test_the_tab_speaks_chinese(elsewhere: Callable[..., Explore]) -> None:
    page = elsewhere("/?lang=zh")
    page.page.goto(f"{page.url}/?tab=decode&lang=zh", wait_until="commit")
    panel(page).locator(".rows-of canvas").first.wait_for()
    expect(panel(page)).to_contain_text("键和值的缓存")
    assert "decode." not in (panel(page).text_content() or "")


def test_a_very_long_word_leaves_the_values_their_place(explore: Explore) -> None:
    open_decode(explore, f"&text={'Donaudampfschiff' * 4}")
    frame = panel(explore).locator(".cache-frame")
    assert frame.evaluate("(frame) => frame.scrollWidth <= frame.clientWidth")
    expect(explore.page.locator("#tokens .count")).to_have_text("1 token")
