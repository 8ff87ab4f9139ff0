"""Models that are on the server: chosen by name, in the address, with their own tokens."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.hands import Explore, address_has, address_lacks

TEXT = "Harry Potter met Ron Weasley. Harry"
ECHO = f"/?text={TEXT.replace(' ', '%20')}&source=installed&name=echo"


def test_a_model_is_chosen_by_name_and_asks_with_its_own_tokenizer(explore: Explore) -> None:
    label = re.compile(r"^echo — trained, \d+ layers × \d+ heads$")
    options = explore.field("Model").locator("option")
    expect(options.filter(has_text=label)).to_have_count(1)
    body = explore.ask(lambda: explore.field("Model").select_option("installed:echo"))
    assert body["model"] == {"source": "installed", "name": "echo"}
    assert "tokenizer" not in body
    address_has(explore.page, "source=installed", "name=echo")
    for name in ("d_model", "seed", "heads"):
        expect(explore.field(name)).to_have_count(0)
    explore.more()
    expect(explore.field("tokenizer")).to_have_value(str(3))
    shown = explore.field("tokenizer").locator("option:not([hidden])")
    expect(shown).to_have_text(["the model's own"])
    expect(explore.field("init")).to_be_hidden()


def test_an_address_opens_a_model_and_its_revision(window: Explore) -> None:
    window.open(f"{ECHO}&revision=step-400")
    assert window.question()["model"]["revision"] == "step-400"
    field = window.field("training")
    expect(field.locator("option:checked")).to_have_text("step 400")
    last = field.locator("option").last
    expect(last).to_contain_text("last")
    body = window.ask(lambda: field.select_option(label=last.inner_text()))
    assert "revision" not in body["model"]
    address_lacks(window.page, "revision=")
    expect(window.page.get_by_text("means nothing")).to_have_count(0)


def test_pieces_show_their_spaces_and_are_read_as_words(window: Explore) -> None:
    window.open(ECHO)
    tokens = window.answer(window.question())["tokens"][0]
    at = next(i for i, token in enumerate(tokens) if token[0] == " " and tokens.count(token) == 1)
    word = re.escape(tokens[at].strip())
    chip = window.page.locator("#tokens .chip").nth(at)
    expect(chip).to_have_text(re.compile(f"^·{word} ?{at}$"))
    expect(window.page.get_by_role("option", name=re.compile(f"^{word} ?{at}$"))).to_have_count(1)
    expect(window.card("weights").locator(f'[data-row="{at}"]')).to_have_text(
        re.compile(f"^·{word}")
    )


def test_a_text_longer_than_the_context_is_cut_where_the_refusal_says(window: Explore) -> None:
    window.open(ECHO)
    window.sentence.fill("Harry " * 200 + "end")
    cut = window.page.get_by_role("button", name="End the text there")
    expect(cut).to_be_visible()
    cut.click()
    expect(cut).to_have_count(0)
    expect(window.page.locator("body[data-status=ready]")).to_have_count(1)
    expect(window.sentence).to_be_focused()
    expect(window.sentence).to_have_value(re.compile(r"Harry$"))
    expect(window.page.locator("#tokens .count")).to_have_text("128 tokens")


def test_of_several_texts_the_one_that_is_too_long_is_named(window: Explore) -> None:
    window.open(ECHO)
    window.sentence.fill("one\n" + "Harry " * 200 + "end\nthree")
    trouble = window.page.locator("#sentence .error", has_text="It is text 2 of 3.")
    trouble.get_by_role("button", name="End the text there").click()
    expect(trouble).to_have_count(0)
    expect(window.sentence).to_have_value(re.compile(r"^one\n(Harry )+Harry\nthree$"))


def test_a_text_longer_than_the_context_goes_on_with_seeded_weights(window: Explore) -> None:
    window.open(ECHO)
    text = "Harry " * 150 + "end"
    window.sentence.fill(text)
    window.page.get_by_role("button", name="Use seeded weights").click()
    expect(window.page.locator("body[data-status=ready]")).to_have_count(1)
    expect(window.sentence).to_be_focused()
    expect(window.sentence).to_have_value(text)
    assert window.question()["model"]["source"] == "seeded"


def test_compare_takes_two_revisions_of_a_model(window: Explore) -> None:
    text = TEXT.replace(" ", "%20")
    side = "{s}.source=installed&{s}.name=echo&{s}.text=" + text
    address = f"/compare?{side.format(s='a')}&{side.format(s='b')}&b.revision=step-400"
    window.page.goto(f"{window.url}{address}")
    expect(window.page.locator('[data-stage="weights"] canvas').first).to_be_visible()
    expect(window.page.get_by_role("combobox", name=re.compile("^Model")).first).to_have_value(
        "installed:echo"
    )
    expect(window.page.get_by_label("training").nth(1)).to_have_value("0")
