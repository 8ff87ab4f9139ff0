"""Learn: every chapter in both languages, every figure drawn, every exercise answerable."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Route, expect

from app.installed.shelf import shipped
from app.learn import BY_NAME, CHAPTERS
from app.learn.exercises import shown
from app.learn.parts import Exercise
from app.web.pages.learn import made
from tests.browser.hands import Explore, fits, until

OWN = "A sentence of my own"


def walk(page: Explore, path: str) -> None:
    """Opens a chapter and goes past every figure, as a reader does."""
    page.page.goto(page.url + path)
    for figure in page.page.locator("[data-figure]").all():
        figure.scroll_into_view_if_needed()
        expect(figure).to_have_attribute("data-status", "ready")
        expect(figure.locator("canvas, svg").first).to_be_visible()


def painted(figure: Locator) -> str:
    """The first picture of a figure; unlike its numbers, it is there in every font."""
    picture: str = figure.locator("canvas[data-layer]").first.evaluate(
        "(canvas) => canvas.toDataURL()"
    )
    return picture


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.full)])
@pytest.mark.parametrize("name", [chapter.name for chapter in CHAPTERS])
def test_every_figure_is_drawn_and_every_exercise_failed_and_then_solved(
    window: Explore, name: str, language: str
) -> None:
    walk(window, f"/learn/{name}?lang={language}")
    for figure in BY_NAME[name].figures:
        for stage in figure.stages:
            card = window.page.locator(f'[data-figure="{figure.name}"] [data-stage="{stage}"]')
            expect(card.locator("canvas[data-layer]")).to_be_visible()
    for at, exercise in enumerate(made(name, 0, language)):
        form = window.page.locator(".exercise").nth(at)
        predict(form, exercise, wrong(exercise))
        expect(form).to_have_class("exercise wrong")
        expect(form.locator(".hint")).to_be_visible()
        expect(form.locator(".way")).to_have_count(0)
        predict(form, exercise, shown(exercise))
        expect(form).to_have_class("exercise right")
        expect(form.locator(".way")).to_be_visible()


def predict(form: Locator, exercise: Exercise, answer: str) -> None:
    if exercise.choices:
        form.locator(f'input[value="{answer}"]').check()
    else:
        form.locator("input").fill(answer)
    form.get_by_role("button").click()


def wrong(exercise: Exercise) -> str:
    return next((each for each in exercise.choices if each != exercise.answer), "−123456")


def test_training_is_watched_step_by_step_and_says_where_it_diverges(window: Explore) -> None:
    walk(window, "/learn/training_step?lang=en")
    figure = window.page.locator('[data-figure="reverse"]')
    expect(figure).to_contain_text("After 60 steps: loss 0.00")
    expect(figure.get_by_role("img", name="Loss, step 59")).to_be_visible()
    learned = painted(figure)
    figure.get_by_label("after step").press("Home")
    expect(figure).to_contain_text("After 0 steps: loss 2.0")
    until(window.page, lambda: painted(figure) != learned, "other weights")
    figure.get_by_label("step size").press("End")
    expect(figure.get_by_role("status").filter(has_text="diverged at step")).to_be_visible()


def test_a_training_tells_its_bounds_and_that_what_is_drawn_is_the_one_before(
    window: Explore,
) -> None:
    walk(window, "/learn/training_step?lang=en")
    figure, posted = window.page.locator('[data-figure="reverse"]'), []
    expect(figure).to_contain_text("After 60 steps")
    steps = figure.get_by_label("steps", exact=True)
    window.page.on("request", lambda request: posted.append(request.url))
    steps.fill("99999")
    expect(steps).to_have_attribute("aria-invalid", "true")
    expect(figure.get_by_role("alert").first).to_have_text("a number from 1 to 1,000")
    window.page.set_viewport_size({"width": 390, "height": 840})
    fits(window.page, 390)
    figure.get_by_role("button", name="Train").click()
    expect(steps).to_be_focused()
    assert not [url for url in posted if url.endswith("/training")]
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    window.page.route("**/api/v1/training", hold)
    steps.fill("10")
    status = figure.get_by_role("status").filter(has_text="What is drawn is the training before")
    expect(status).to_be_visible()
    expect(figure.locator(".plots")).to_have_css("opacity", "0.5")
    expect(steps).not_to_have_attribute("aria-invalid", "true")
    held[0].continue_()
    expect(figure).to_contain_text("After 10 steps")
    expect(status).to_have_count(0)
    expect(figure.locator(".plots")).to_have_css("opacity", "1")


def test_two_wrong_predictions_are_answered_with_the_computed_figure(window: Explore) -> None:
    window.page.goto(window.url + "/learn/scores")
    form = window.page.locator(".exercise").first
    verdict, check = form.locator(".verdict"), form.get_by_role("button")
    check.click()
    expect(verdict).to_have_text("Write a prediction first.")
    form.locator("input").fill("many")
    check.click()
    expect(verdict).to_contain_text("Write a number")
    form.locator("input").fill("12345/0,5")  # a fraction is a number
    check.click()
    expect(verdict).to_contain_text("Hint. Multiply first by first")
    form.get_by_role("button", name="Try again").click()  # the same once more costs no try
    expect(form.locator(".hint")).to_be_visible()
    form.locator("input").fill("54321")
    check.click()
    answer = shown(made("scores", 0, "en")[0])
    expect(verdict).to_contain_text(f"Computed: {answer}.")
    expect(form.locator(".way")).to_contain_text(f"= {answer}")
    form.get_by_role("link").click()
    expect(window.page.locator('[data-stage="scores"] canvas[data-layer]')).to_be_visible()


def test_the_contents_draw_each_chapter_when_its_line_is_seen(window: Explore) -> None:
    page = window.page
    page.goto(window.url + "/learn")
    pictures = page.locator("[data-glance]")
    expect(pictures).to_have_count(len(CHAPTERS))
    expect(page.locator("[data-drawn]").first).to_be_visible()
    assert page.locator("[data-drawn]").count() < len(CHAPTERS)
    for picture in pictures.all():
        picture.evaluate("(canvas) => canvas.scrollIntoView()")
    expect(page.locator("[data-drawn]")).to_have_count(len(CHAPTERS))
    page.get_by_role("link", name="Worksheet to print: Scores").click()
    expect(page.get_by_role("heading", name="Scores")).to_be_visible()


def test_what_was_solved_is_marked_at_the_next_visit_until_it_is_forgotten(
    elsewhere: Callable[..., Explore],
) -> None:
    window = elsewhere(None)  # a browser that remembers nothing yet
    page, forms = window.page, window.page.locator(".exercise")
    page.goto(window.url + "/learn/scores")
    for at, exercise in enumerate(made("scores", 0, "en")):
        expect(forms.nth(at).locator(".ticked")).to_be_hidden()
        predict(forms.nth(at), exercise, shown(exercise))
        expect(forms.nth(at).locator(".ticked")).to_have_text("✓ solved")
    expect(page.locator(".finished")).to_have_text("Every exercise of this chapter is solved.")
    expect(page.locator(".contents li", has=page.locator(".ticked:visible"))).to_have_text(
        ["Scores ✓all exercises solved"]
    )
    page.goto(window.url + "/learn")
    expect(page.locator('.chapters [data-finished="scores"]')).to_be_visible()
    expect(page.locator('.chapters [data-finished="masks"]')).to_be_hidden()
    page.locator('.chapters a[href="/learn/scores"]').click()
    expect(page.locator(".exercise .ticked:visible")).to_have_count(len(made("scores", 0, "en")))
    page.get_by_role("button", name="Forget what I solved").click()
    expect(page.locator(".ticked:visible")).to_have_count(0)
    expect(page.get_by_text("Forgotten: no exercise is marked")).to_be_visible()


def test_own_words_reach_every_figure_the_next_chapter_and_explore(window: Explore) -> None:
    walk(window, "/learn/asking")
    window.page.get_by_label("Your sentence").fill(OWN)
    labels = window.page.locator('[data-figure="weights"] .labels')
    expect(labels).to_contain_text("sentence")
    window.page.locator('[data-figure="weights"]').get_by_role("link").click()
    expect(window.page.get_by_role("textbox", name="Sentence")).to_have_value(OWN)
    window.page.go_back()
    expect(window.page.get_by_label("Your sentence")).to_have_value(OWN)
    window.page.locator("a[rel=next]").click()
    expect(window.page.get_by_label("Your sentence")).to_have_value(OWN)


def test_figures_that_are_asked_with_own_words_say_so_where_others_are_not(window: Explore) -> None:
    own = [figure.name for figure in BY_NAME["habits"].figures if figure.own]
    assert own == ["all"]
    window.page.goto(window.url + "/learn/habits")
    expect(window.page.get_by_label("in the figures that say so")).to_be_visible()
    captions = window.page.locator("figcaption", has_text="Your sentence.")
    expect(captions).to_have_count(len(own))
    expect(
        window.page.locator("figure", has=captions).locator("[data-figure=all]")
    ).to_be_attached()
    window.page.goto(window.url + "/learn/asking")
    expect(window.page.get_by_label("in every figure")).to_be_visible()
    expect(window.page.locator("figcaption", has_text="Your sentence.")).to_have_count(0)
    window.page.goto(window.url + "/learn/worth")
    expect(window.page.locator(".exercise").first).to_be_visible()
    expect(window.page.get_by_label("Your sentence")).to_have_count(0)


def test_a_head_that_is_dropped_is_opened_with_what_was_expected_struck_out(
    window: Explore,
) -> None:
    walk(window, "/learn/worth")
    chances = window.page.locator(".told").first.get_by_role("row").nth(1).get_by_role("cell")
    before, after = chances.all_inner_texts()
    window.page.locator('[data-figure="dropped"]').get_by_role("link").click()
    window.page.wait_for_url(re.compile(r"drop="))
    said = window.page.locator("#predictions li:has(s)", has_text="Solomon")
    expect(said.locator("s")).to_have_text(before)
    expect(said).to_contain_text(after)


def test_a_paragraph_leads_to_the_next_chapter(window: Explore) -> None:
    window.page.goto(window.url + "/learn/habits?text=a+b")
    window.page.locator("p > a[data-carry]").click()
    expect(window.page).to_have_url(re.compile(r"/learn/worth\?text=a\+b$"))


def test_words_of_the_text_light_a_cell_and_keep_it_when_pressed(window: Explore) -> None:
    walk(window, "/learn/scores")
    figure = window.page.locator('[data-figure="product"]')
    words = window.page.get_by_role("button", name="your query fits mine")
    expect(figure.locator(".reading")).to_contain_text("cross → animal")
    words.focus()
    expect(figure.locator(".reading")).to_contain_text("animal → cross")
    words.blur()
    expect(figure.locator(".reading")).to_contain_text("cross → animal")
    words.press("Enter")
    words.blur()
    expect(figure.locator(".reading")).to_contain_text("animal → cross")


def test_a_knob_changes_the_figure(window: Explore) -> None:
    walk(window, "/learn/asking")
    figure = window.page.locator('[data-figure="weights"]')
    before = painted(figure)
    figure.get_by_label("Mask").uncheck()
    until(window.page, lambda: painted(figure) != before, "other weights")


def test_a_knob_tells_what_is_wrong_with_it_and_the_figure_says_it_no_second_time(
    window: Explore,
) -> None:
    walk(window, "/learn/heads")
    figure = window.page.locator('[data-figure="grid"]')
    figure.get_by_label("heads", exact=True).fill("5")
    expect(figure.get_by_role("alert")).to_contain_text("5 heads do not divide d_model 64")
    expect(figure.get_by_text("5 heads do not divide")).to_have_count(1)


def test_other_exercises_are_in_the_address_and_on_the_worksheet(window: Explore) -> None:
    window.page.goto(window.url + "/learn/scores")
    first = window.page.locator(".exercise .prompt").first
    before = first.inner_text()
    window.page.get_by_role("button", name="Other exercises").click()
    expect(first).not_to_have_text(before)
    expect(window.page).to_have_url(re.compile(r"\?seed=1$"))
    window.page.get_by_role("link", name="Worksheet").click()
    expect(window.page.locator(".key li")).to_have_count(len(BY_NAME["scores"].exercises))


def test_the_last_answer_is_the_one_that_is_marked(window: Explore) -> None:
    page = window.page
    walk(window, "/learn/scores")
    at = next(i for i, each in enumerate(made("scores", 0, "en")) if not each.choices)
    form = page.locator(".exercise").nth(at)
    held: list[Route] = []
    page.route("**/marks", lambda route: held.append(route))
    for answer in ("123456", shown(made("scores", 0, "en")[at])):
        count = len(held)
        form.locator("input").fill(answer)
        form.get_by_role("button").click()
        until(page, lambda: len(held) > count, "it is asked")  # noqa: B023
    held[1].continue_()
    expect(form).to_have_class("exercise right")
    with page.expect_response("**/marks"):
        held[0].continue_()
    page.wait_for_timeout(100)  # the late mark reaches the page
    expect(form).to_have_class("exercise right")


def test_the_slider_goes_through_the_training(window: Explore) -> None:
    walk(window, "/learn/habits")
    figure = window.page.locator('[data-figure="grows"]')
    slider = figure.get_by_role("slider")
    revisions = list(shipped().models["echo"].revisions)
    expect(slider).to_have_attribute("aria-valuetext", f"step {revisions[0][5:]}")
    with window.page.expect_response(lambda reply: reply.request.method == "POST") as asked:
        slider.press("End")
    assert asked.value.request.post_data_json["model"]["revision"] == revisions[-1]
    expect(figure).to_have_attribute("data-status", "ready")
    expect(slider).to_have_attribute("aria-valuetext", f"step {revisions[-1][5:]} (the last)")


def test_a_chapter_fits_a_phone(elsewhere: Callable[..., Explore]) -> None:
    phone = elsewhere(None, viewport={"width": 360, "height": 740})
    walk(phone, "/learn/scores")
    fits(phone.page, 360)


def test_a_program_shows_one_language_on_a_phone_and_can_be_taken_along(
    elsewhere: Callable[..., Explore],
) -> None:
    phone = elsewhere(None, viewport={"width": 390, "height": 840})
    walk(phone, "/learn/twenty_lines")
    fits(phone.page, 390)
    figure = phone.page.locator('[data-figure="program"]')
    step = figure.get_by_role("region", name="scaled scores")
    expect(step.locator('[data-language="numpy"]')).to_be_visible()
    figure.get_by_role("radio", name="PyTorch").check()
    expect(step.locator("pre:visible")).to_have_count(1)
    expect(step.locator("pre:visible")).to_contain_text("q.size(-1)")
    with phone.page.expect_download() as download:
        figure.get_by_role("link", name="numpy program").click()
    assert download.value.suggested_filename.endswith(".zip")


def test_the_cache_of_costs_is_the_same_in_the_figure_and_in_the_table(window: Explore) -> None:
    page = window.page
    page.set_viewport_size({"width": 1440, "height": 900})
    walk(window, "/learn/costs?lang=en")
    kept = page.get_by_role("row").filter(
        has=page.get_by_role("rowheader", name="1,024", exact=True)
    )
    expect(kept.filter(has_text="MiB")).to_contain_text("2\u00a0MiB")
    told = "takes 2 MiB in this layer (2 bytes a number)"
    expect(page.locator('[data-figure="sizes"]')).to_contain_text(told)
    words = page.locator('[data-figure="decode"] svg.chart text').first
    assert words.evaluate("(text) => text.getBoundingClientRect().height") < 18
