"""Learn as a reader meets it: a chapter from the contents to the last exercise, and its layout."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from attnscope.learn import BY_NAME, CHAPTERS
from attnscope.learn.exercises import format_answer
from attnscope.learn.parts import Exercise
from attnscope.web.pages.learn import exercises_for
from tests.browser.hands import Explore, box, fits, until

OWN = "A sentence of my own"


def scroll_through(page: Page) -> None:
    """Goes past every figure of a chapter, and waits until each is drawn."""
    for figure in page.locator("[data-figure]").all():
        figure.scroll_into_view_if_needed()
        expect(figure).to_have_attribute("data-status", "ready")
        expect(figure.locator("canvas, svg").first).to_be_visible()


def walk(page: Explore, path: str) -> None:
    page.page.goto(page.url + path)
    scroll_through(page.page)


def fail_and_solve(page: Page, name: str, language: str = "en") -> None:
    """Answers every exercise of the open chapter, first wrong and then right."""
    for at, exercise in enumerate(exercises_for(name, 0, language)):
        if exercise.open:
            continue
        form = page.locator(".exercise").nth(at)
        expect(form.locator(".ticked")).to_be_hidden()
        predict(form, exercise, wrong(exercise))
        expect(form).to_have_class("exercise wrong")
        expect(form.locator(".hint")).to_be_visible()
        expect(form.locator(".way")).to_have_count(0)
        predict(form, exercise, format_answer(exercise))
        expect(form).to_have_class("exercise right")
        expect(form.locator(".way")).to_be_visible()
        expect(form.locator(".ticked")).to_be_visible()


def predict(form: Locator, exercise: Exercise, answer: str) -> None:
    if exercise.choices:
        form.locator(f'input[value="{answer}"]').check()
    else:
        form.get_by_role("textbox").fill(answer)
    form.get_by_role("button").click()


def wrong(exercise: Exercise) -> str:
    return next((each for each in exercise.choices if each != exercise.answer), "−123456")


def contents_draw_what_is_seen(page: Page) -> None:
    """Each chapter has a small picture, drawn when its line is seen."""
    pictures, drawn = page.locator("[data-glance]"), page.locator("[data-drawn]")
    expect(pictures).to_have_count(len(CHAPTERS))
    expect(drawn.first).to_be_visible()
    assert drawn.count() < len(CHAPTERS)
    for picture in pictures.all():
        picture.evaluate("(canvas) => canvas.scrollIntoView()")
    expect(drawn).to_have_count(len(CHAPTERS))


def own_words_stay(page: Page) -> None:
    """A sentence of the reader's reaches a figure and Explore, and stays on the way back."""
    page.get_by_label("Your sentence").fill(OWN)
    figure = page.locator('[data-figure="weights"]')
    expect(figure.locator(".labels")).to_contain_text("sentence")
    figure.get_by_role("link").click()
    expect(page.get_by_role("textbox", name="Sentence")).to_have_value(OWN)
    page.go_back()
    expect(page.get_by_label("Your sentence")).to_have_value(OWN)


def test_a_chapter_is_read_solved_marked_as_finished_and_forgotten(
    elsewhere: Callable[..., Explore],
) -> None:
    window = elsewhere(None)  # a browser in which nothing is solved yet
    page, ticked = window.page, window.page.locator(".exercise .ticked:visible")
    page.goto(f"{window.url}/learn")
    contents_draw_what_is_seen(page)
    chapter = page.get_by_role("link", name="What attention asks").first
    chapter.click()
    scroll_through(page)
    own_words_stay(page)
    fail_and_solve(page, "asking")
    expect(page.get_by_text("Every exercise of this chapter is solved.")).to_be_visible()
    finished = page.locator(".contents li", has=page.locator(".ticked:visible"))
    expect(finished).to_have_count(1)
    expect(finished).to_contain_text("✓")
    page.goto(f"{window.url}/learn")
    expect(page.locator('.chapters [data-finished="asking"]')).to_be_visible()
    expect(page.locator('.chapters [data-finished="masks"]')).to_be_hidden()
    chapter.click()
    expect(ticked).to_have_count(len(BY_NAME["asking"].exercises))
    page.get_by_role("button", name="Forget what I solved").click()
    expect(page.locator(".ticked:visible")).to_have_count(0)
    expect(page.get_by_text("Forgotten: no exercise is marked")).to_be_visible()


@pytest.mark.full
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", [chapter.name for chapter in CHAPTERS])
def test_every_chapter_is_drawn_and_its_exercises_failed_and_then_solved(
    elsewhere: Callable[..., Explore], name: str, language: str
) -> None:
    window = elsewhere(None)
    walk(window, f"/learn/{name}?lang={language}")
    for figure in BY_NAME[name].figures:
        for stage in figure.stages:
            card = window.page.locator(f'[data-figure="{figure.name}"] [data-stage="{stage}"]')
            expect(card.locator("canvas[data-layer]")).to_be_visible()
    fail_and_solve(window.page, name, language)


def test_chapters_fit_a_phone(elsewhere: Callable[..., Explore], subtests: pytest.Subtests) -> None:
    phone = elsewhere(None, viewport={"width": 390, "height": 840})
    page = phone.page
    with subtests.test("a program is shown in one language, and can be downloaded"):
        walk(phone, "/learn/twenty_lines")
        fits(page, 390)
        figure = page.locator('[data-figure="program"]')
        step = figure.get_by_role("region", name="scaled scores")
        expect(step.locator('[data-language="numpy"]')).to_be_visible()
        figure.get_by_role("radio", name="PyTorch").check()
        expect(step.locator("pre:visible")).to_have_count(1)
        expect(step.locator("pre:visible")).to_contain_text("q.size(-1)")
        with page.expect_download() as download:
            figure.get_by_role("link", name="numpy program").click()
        assert download.value.suggested_filename.endswith(".zip")
    with subtests.test("the training before is faint until the next is drawn"):
        page.goto(f"{phone.url}/learn/training_step")
        figure = page.locator('[data-figure="reverse"]')
        figure.scroll_into_view_if_needed()
        expect(figure).to_contain_text("After 60 steps")
        figure.get_by_label("steps", exact=True).fill("99999")
        expect(figure.get_by_role("alert").first).to_be_visible()
        fits(page, 390)
        held: list[Route] = []
        page.route("**/api/v1/training", lambda route: held.append(route))
        figure.get_by_label("steps", exact=True).fill("10")
        expect(figure.locator(".plots")).to_have_css("opacity", "0.5")
        until(page, lambda: held, "the training is asked for")
        held[0].continue_()
        expect(figure).to_contain_text("After 10 steps")
        expect(figure.locator(".plots")).to_have_css("opacity", "1")
    with subtests.test("a narrow phone"):
        page.set_viewport_size({"width": 360, "height": 740})
        walk(phone, "/learn/scores")
        fits(page, 360)


def test_words_of_a_chart_stay_small_on_a_wide_page(window: Explore) -> None:
    window.page.goto(f"{window.url}/learn/decoding")
    figure = window.page.locator('[data-figure="decode"]')
    figure.scroll_into_view_if_needed()
    words = figure.locator("svg.chart text").first
    expect(words).to_have_text(re.compile("."))
    assert words.evaluate("(text) => text.getBoundingClientRect().height") < 18


GROW = """(figure) => {
  const above = document.createElement("p");
  above.style.height = "300px";
  figure.before(above);
}"""
TOP = "(figure) => Math.round(figure.getBoundingClientRect().top)"


def test_a_linked_figure_stays_in_place_until_the_reader_moves(window: Explore) -> None:
    window.page.goto(f"{window.url}/learn/softmax#figure-stretch")
    figure = window.page.locator("#figure-stretch")
    expect(figure).to_have_attribute("data-status", "ready")
    place = round(box(figure)["y"])
    assert 0 <= place < 200
    figure.evaluate(GROW)
    until(window.page, lambda: figure.evaluate(TOP) == place, "the figure is back in its place")
    window.page.keyboard.press("Shift")
    figure.evaluate(GROW)
    until(window.page, lambda: figure.evaluate(TOP) > place, "the reader holds the page")
