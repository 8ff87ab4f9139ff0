"""Every control changes the question, and the picture follows it."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.hands import STAGES, Explore, address_has, until

# How much room an empty field leaves beside its placeholder, its padding and the browser's arrows.
ROOM = """(field) => {
  const { fontSize, fontFamily, paddingLeft, paddingRight } = getComputedStyle(field);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${fontSize} ${fontFamily}`;
  const arrows = 18;
  const words = pen.measureText(field.placeholder).width;
  return field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - arrows - words;
}"""


def at(body: dict[str, Any], path: str) -> Any:
    value: Any = body
    for name in path.split("."):
        value = value[name]
    return value


def temperature(explore: Explore) -> Locator:
    explore.drawer()
    return explore.page.locator("label", has_text="Temperature").get_by_role("spinbutton")


def test_numbers_among_the_weights_change_the_answer(explore: Explore) -> None:
    for label, text, path, stage in (
        ("heads", "8", "model.num_heads", "q"),
        ("d_model", "32", "model.d_model", "x"),
        ("seed", "42", "model.seed", "weights"),
    ):
        body = explore.ask(lambda: explore.field(label).first.fill(text))  # noqa: B023
        assert at(body, path) == int(text)
        explore.shows(body, [stage, "weights"])


def test_without_a_mask_every_key_is_open(explore: Explore) -> None:
    body = explore.ask(lambda: explore.field("Mask").select_option(label="none"))
    assert body["causal"] is False
    n = explore.shows(body, ["masked_scores", "weights"])["shape"]["n"]
    assert (explore.seen("weights", n, n)[..., 3] == 255).all()


def test_the_scale_can_be_left_out_or_given(explore: Explore) -> None:
    scale = explore.field("Scale")
    body = explore.ask(lambda: scale.first.select_option(label="none"))
    assert body["scale"] == "none"
    explore.shows(body, ["scaled_scores", "weights"])
    explore.ask(lambda: scale.first.select_option(label="a number"))
    number = explore.page.locator("label", has_text="Scale").get_by_role("spinbutton")
    body = explore.ask(lambda: number.fill("0.05"))
    assert body["scale"] == 0.05
    explore.shows(body, ["scaled_scores", "weights"])


def test_the_temperature_is_a_number_and_a_slider(explore: Explore) -> None:
    body = explore.ask(lambda: temperature(explore).fill("4"))
    assert body["temperature"] == 4
    explore.shows(body, ["scaled_scores", "weights"])
    slider = explore.page.get_by_role("slider")
    body = explore.ask(lambda: slider.press("End"))
    assert body["temperature"] == 10
    explore.shows(body)
    expect(temperature(explore)).to_have_value("10")


def test_undo_takes_back_one_way_of_the_slider_and_the_thumb_goes_with_it(explore: Explore) -> None:
    slider = explore.page.get_by_role("slider")
    explore.ask(lambda: explore.field("heads").first.fill("2"))
    slider.focus()
    for _ in range(2):
        for _ in range(3):
            slider.press("ArrowRight")
        expect(temperature(explore)).to_have_value("1.15")
        slider.press("Control+z")
        expect(temperature(explore)).to_have_value("1")
        expect(slider).to_have_value("0")
        address_has(explore.page, "num_heads=2")


def test_a_crafted_head_looks_where_its_name_says(explore: Explore) -> None:
    body = explore.ask(lambda: explore.field("Model").select_option("crafted"))
    assert body["model"]["source"] == "crafted"
    for choice, name in (
        ("look at the first token", "first_token"),
        ("look everywhere", "uniform"),
    ):
        options = explore.field("heads that").get_by_role("option")
        label = options.filter(has_text=choice).text_content()
        body = explore.ask(lambda: explore.field("heads that").select_option(label=label))  # noqa: B023
        assert body["model"] == {"source": "crafted", "name": name}
        explore.shows(body, STAGES)


def test_explicit_matrices_are_typed_or_pasted(explore: Explore) -> None:
    page = explore.page
    body = explore.ask(lambda: explore.field("Model").select_option("explicit"))
    assert body["model"]["source"] == "explicit"
    page.get_by_role("button", name="Edit…").click()
    box = page.get_by_role("textbox", name="w_q")
    body = explore.ask(lambda: box.fill("1 0\n0 −2\n3, 1\n0.5 0"))
    assert body["model"]["w_q"] == [[1, 0], [0, -2], [3, 1], [0.5, 0]]
    body = explore.ask(
        lambda: page.get_by_role("textbox", name=re.compile("^w_k")).fill(
            "[[0,1],[1,0],[0,0],[2,2]]"
        )
    )
    page.get_by_role("button", name="Done").click()
    explore.shows(body, ["q", "k", "scores", "weights"])


def test_a_matrix_that_cannot_be_read_is_told_beside_it(explore: Explore) -> None:
    page = explore.page
    explore.ask(lambda: explore.field("Model").select_option("explicit"))
    explore.shows(explore.question(), ["weights"])
    before = explore.pixels("weights")
    page.get_by_role("button", name="Edit…").click()
    box = page.get_by_role("textbox", name=re.compile("^w_q"))
    box.fill("1 0\nzero 1")
    expect(page.get_by_text("This is not a matrix of numbers.")).to_be_visible()
    assert explore.pixels("weights") == before
    explore.ask(lambda: box.fill("1 2\n3"))
    alert = page.locator("label", has=box).get_by_role("alert")
    expect(alert).to_contain_text("w_q")
    assert explore.pixels("weights") == before
    body = explore.ask(lambda: box.fill("1 0\n0 1\n1 0\n0 1"))
    explore.ask(
        lambda: page.get_by_role("textbox", name=re.compile("^w_k")).fill("1 0\n0 1\n1 0\n0 1")
    )
    expect(alert).to_be_empty()
    explore.shows({**body, "model": explore.question()["model"]}, ["weights"])


def test_switching_the_source_keeps_what_was_typed_for_the_other(explore: Explore) -> None:
    body = explore.ask(lambda: explore.field("seed").fill("5"))
    explore.shows(body)
    explore.ask(lambda: explore.field("Model").select_option("crafted"))
    explore.field("Model").select_option("seeded")
    expect(explore.field("seed")).to_have_value("5")
    explore.shows(body)


def test_numbers_of_the_menu_change_the_answer(explore: Explore) -> None:
    explore.more()
    for label, text, path, stage in (
        ("key/value heads", "2", "model.num_kv_heads", "k"),
        ("d_k", "8", "model.d_k", "q"),
        ("d_v", "8", "model.d_v", "v"),
        ("window", "3", "window", "masked_scores"),
        ("stride", "3", "stride", "masked_scores"),
        ("open prefix", "2", "prefix", "masked_scores"),
        ("padded length", "20", "context_length", "weights"),
    ):
        body = explore.ask(lambda: explore.field(label).fill(text))  # noqa: B023
        assert at(body, path) == int(text)
        explore.shows(body, [stage])


def test_the_choices_of_the_menu_change_the_answer(explore: Explore) -> None:
    explore.more()
    for label, choice, path, stage in (
        ("initialisation", "orthogonal", "model.init", "q"),
        ("shared matrices", "qkv", "model.share", "v"),
        ("positions", "none", "model.positions", "x"),
        ("tokenizer", "characters", "tokenizer", "x"),
    ):
        body = explore.ask(lambda: explore.field(label).select_option(label=choice))  # noqa: B023
        assert at(body, path) == choice
        explore.shows(body, [stage])
    body = explore.ask(lambda: explore.field("biases").check())
    assert body["model"]["bias"] is True
    body = explore.ask(lambda: explore.field("output projection").uncheck())
    assert body["model"]["output_projection"] is False
    explore.shows(body, ["output"])


def test_layers_and_heads_are_chosen_in_the_grid(explore: Explore) -> None:
    explore.more()
    body = explore.ask(lambda: explore.field("layers").fill("3"))
    explore.shows(body)
    explore.page.keyboard.press("Escape")
    grid = explore.page.get_by_role("group", name="Layer and head")
    expect(grid.get_by_role("button")).to_have_count(12)
    chosen = grid.get_by_role("button", name="layer 2, head 1")
    chosen.click()
    expect(chosen).to_have_attribute("aria-pressed", "true")
    explore.shows(body, STAGES, place=(2, 1, 0))
    expect(explore.canvas("weights")).to_have_attribute("data-layer", "2")
    expect(explore.canvas("weights")).to_have_attribute("data-head", "1")
    expect(grid.locator("[aria-pressed=true]")).to_have_count(1)


def test_the_thumbnails_are_pictures_of_their_heads(explore: Explore) -> None:
    grid = explore.page.get_by_role("group", name="Layer and head")
    drawn = "(all) => new Set(all.map((canvas) => canvas.toDataURL())).size"
    four = grid.locator("canvas")
    until(explore.page, lambda: four.evaluate_all(drawn) == 4, "four pictures, none like another")


def test_fewer_layers_bring_the_selection_back_inside(explore: Explore) -> None:
    explore.open("/?num_layers=2&layer=1&head=3")
    explore.shows(explore.question(), place=(1, 3, 0))
    explore.more()
    body = explore.ask(lambda: explore.field("layers").fill("1"))
    explore.shows(body, place=(0, 3, 0))
    explore.page.keyboard.press("Escape")
    body = explore.ask(lambda: explore.field("heads").first.fill("2"))
    explore.shows(body, place=(0, 1, 0))


def test_what_the_server_refuses_is_told_beside_its_field(explore: Explore) -> None:
    explore.shows(explore.question())
    before = explore.pixels("weights")
    explore.ask(lambda: explore.field("heads").first.fill("5"))
    told = explore.page.get_by_role("alert").filter(has_text="64")
    expect(told).to_be_visible()
    assert explore.pixels("weights") == before
    body = explore.ask(lambda: explore.field("heads").first.fill("2"))
    explore.shows(body)
    expect(told).to_be_hidden()


def test_a_number_out_of_range_is_told_before_it_is_sent(explore: Explore) -> None:
    def asked() -> int:
        """Questions; scripts that come late are none."""
        return sum(r.url.endswith("/attention") for r in explore.watch.requests)

    before = asked()
    temperature(explore).fill("0")
    told = explore.page.get_by_role("alert").filter(has_text="a number from")
    expect(told).to_be_visible()
    assert asked() == before
    body = explore.ask(lambda: temperature(explore).fill("2"))
    explore.shows(body)
    expect(told).to_be_hidden()


def test_a_causal_mask_asked_for_by_name_is_the_causal_mask(window: Explore) -> None:
    window.open("/?causal=true")
    expect(window.field("Mask").locator("option:checked")).to_have_text("causal")


def test_the_words_of_an_empty_field_are_read_whole(explore: Explore) -> None:
    explore.more()
    for name in ("key/value heads", "d_k", "d_v", "padded length"):
        field = explore.field(name)
        expect(field).to_have_attribute("placeholder", "automatic")
        assert field.evaluate(ROOM) >= 0, name
