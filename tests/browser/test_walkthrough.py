"""The computation told step by step: with real numbers, both ways, by mouse and by keys."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from playwright.sync_api import Locator, expect

from tests.browser.hands import STAGES, Explore, address_lacks, until, written
from tests.browser.pixels import stage_cells

QUERY, KEY = 7, 1  # it, animal
CHAPTERS = 10
NUMBERS = ".terms li:not(.more)"
# Goes through the chapters: which one is the current one then, and what it says.
TELL = """async (told) => {
  const found = [];
  for (const button of told.querySelectorAll(".chapters button")) {
    button.click();
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const current = [...told.querySelectorAll(".chapters button")].findIndex(
      (each) => each.matches("[aria-current=step]"));
    found.push([current, told.innerText]);
  }
  return found;
}"""


def panel(explore: Explore) -> Locator:
    return explore.page.get_by_role("region", name="Step by step")


def at(explore: Explore, step: str, more: str = "") -> Locator:
    explore.open(f"/?step={step}{more}")
    return panel(explore)


def shows(place: Locator, wanted: np.ndarray, *, every: int = 1) -> None:
    """Waits until the elements say these numbers; or the last of every few elements."""

    def told() -> bool:
        texts = place.all_inner_texts()[every - 1 :: every]
        found = [float(re.sub(r"[^\d.−]", "", text).replace("−", "-")) for text in texts]
        return len(found) == len(wanted) and np.allclose(found, wanted, atol=6e-4)

    until(place.page, told, f"{wanted} in {place}")


def cells(explore: Explore, stage: str, head: int = 0) -> np.ndarray:
    return stage_cells(explore.answer(explore.question()), stage, 0, head, 0)


def test_the_dot_product_has_its_real_operands_and_its_sum(window: Explore) -> None:
    told = at(window, "scores.100")
    expect(told.locator(NUMBERS)).to_have_count(16)
    q, k = cells(window, "q")[QUERY], cells(window, "k")[KEY]
    shows(told.locator(f"{NUMBERS} .chip"), np.stack([q, k], 1).ravel())
    shows(told.locator(f"{NUMBERS} b"), q * k)
    score = written(cells(window, "scores")[QUERY, KEY])
    expect(told.locator("output")).to_have_text(f"Σ = {score}")
    expect(told.locator(".words")).to_contain_text("“it” look for what “animal” offers")
    expect(told.locator(".words")).to_contain_text(score)


def test_the_sum_grows_and_shrinks_again_as_time_is_scrubbed(window: Explore) -> None:
    told = at(window, "scores.55")
    q, k = cells(window, "q")[QUERY], cells(window, "k")[KEY]
    sums = np.concatenate([[0], np.cumsum(q * k)])
    along = int((0.55 - 0.1) / 0.84 * 16)
    halfway = f"Σ = {written(sums[along])}"
    expect(told.locator("output")).to_have_text(halfway)
    scrub = told.get_by_role("slider", name="Moment of the computation")
    before = scrub.input_value()  # it is there as soon as the sum is
    scrub.fill("21.5")
    expect(told.locator("output")).to_have_text(f"Σ = {written(sums[-1])}")
    scrub.fill(before)
    expect(told.locator("output")).to_have_text(halfway)
    expect(window.page).to_have_url(re.compile(r"step=scores\.55"))


def test_a_softmax_divides_each_exp_by_their_sum(window: Explore) -> None:
    told = at(window, "weights.100", "&cell=weights.5.2")
    scores, weights = cells(window, "masked_scores")[5, :6], cells(window, "weights")[5, :6]
    exps = np.exp(scores - scores.max())
    shows(told.locator(f"{NUMBERS} b"), exps)
    shows(told.locator(f"{NUMBERS} .chip"), weights, every=2)
    expect(told.locator("output")).to_have_text(f"Σ = {written(exps.sum())}")


def test_values_are_weighed_and_the_output_mixes_the_heads(window: Explore) -> None:
    told = at(window, "head_outputs.100", "&head=2")
    value = written(cells(window, "head_outputs", 2)[QUERY, 0])
    expect(told.locator("output")).to_have_text(f"Σ = {value}")
    told = at(window, "output.100", "&bias=true&cell=output.3.5")
    value = written(cells(window, "output")[3, 5])
    expect(told.locator(f"{NUMBERS} b")).to_have_count(16)
    expect(told.locator(".more")).to_have_text(re.compile("^48 more"))
    expect(told.locator("output")).to_have_text(f"Σ = {value}")


def test_a_closed_cell_says_so(window: Explore) -> None:
    told = at(window, "masked_scores.100", "&cell=weights.1.5")
    expect(told.locator(".words")).to_contain_text("“animal” may not look at “street”")
    expect(told.locator(".closed")).to_have_text("−∞")


def test_what_is_told_lights_up_in_its_card(window: Explore) -> None:
    at(window, "scores.50")
    readout = window.card("scores").locator(".readout")
    expect(readout).to_contain_text("it → animal")
    panel(window).get_by_role("button", name="Softmax").click()
    expect(window.card("weights").locator(".readout")).to_contain_text("it → animal")
    expect(readout).to_be_hidden()


def test_it_opens_plays_pauses_and_closes(explore: Explore) -> None:
    explore.page.get_by_role("button", name="Step by step", exact=True).click()
    told = panel(explore)
    pause = told.get_by_role("button", name="Pause")
    expect(pause).to_be_visible()
    told.get_by_role("combobox", name="Speed").select_option("4")
    expect(told.get_by_role("heading", level=2)).to_have_text("q · k")
    pause.click()
    expect(told.get_by_role("button", name="Play")).to_be_visible()
    expect(explore.page).to_have_url(re.compile(r"step=\w+\.\d+"))
    kept = explore.page.url
    explore.page.reload()
    expect(told).to_be_visible()
    expect(explore.page).to_have_url(kept)
    told.get_by_role("button", name="Close step by step").click()
    expect(told).to_be_hidden()
    address_lacks(explore.page, "step")


def test_the_keys_lead_through_the_chapters(window: Explore) -> None:
    told = at(window, "scores.100")
    heading, press = told.get_by_role("heading", level=2), window.page.keyboard.press
    told.focus()
    for key, title in (
        ("ArrowRight", "Scale"),
        ("ArrowLeft", "q · k"),
        ("End", "All rows"),
        ("Home", "x to q and k"),
    ):
        press(key)
        expect(heading).to_have_text(title)
    press("Space")
    expect(told.get_by_role("button", name="Pause")).to_be_visible()
    press("Space")
    expect(told.get_by_role("button", name="Play")).to_be_visible()
    press("Escape")
    expect(told).to_be_hidden()


def test_under_reduced_motion_a_chapter_is_there_at_once(elsewhere: Callable[..., Explore]) -> None:
    explore = elsewhere("/?step=scores.1", reduced_motion="reduce")
    score = written(cells(explore, "scores")[QUERY, KEY])
    expect(panel(explore).locator("output")).to_have_text(f"Σ = {score}")


def test_every_chapter_tells_of_every_kind_of_model(window: Explore) -> None:
    for question in (
        "text=我爱北京&lang=zh",
        "source=crafted&name=all",
        "num_heads=4&num_kv_heads=2&num_layers=2&layer=1&head=3&temperature=0.5",
        "output_projection=false&scale=none",
        "blocked=7.0_7.1_7.2_7.3_7.4_7.5_7.6_7.7&cell=weights.7.1",
        "text=a%20b%0Ac%20d%20e&batch=1",
    ):
        window.open(f"/?step=project.100&{question}")
        told = window.page.locator("#stepper")
        expect(told.locator(".chapters button")).to_have_count(CHAPTERS)
        chapters = told.evaluate(TELL)
        for at, (current, words) in enumerate(chapters):
            assert current == at
            assert words
            assert not re.search(r"NaN|undefined|\{|tell\.", words), question


def test_the_script_is_fetched_when_it_is_opened(explore: Explore) -> None:
    def fetched() -> bool:
        return any("/walkthrough/stepper.js" in request.url for request in explore.watch.requests)

    explore.canvas(STAGES[-1]).wait_for()
    explore.page.get_by_role("button", name="Step by step", exact=True).click()
    until(explore.page, fetched, "the script of the stepper")
